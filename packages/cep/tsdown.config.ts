import { libraryConfig } from '../../tsdown.base.ts';

export default libraryConfig({ index: 'src/index.ts', compat: 'src/compat/index.ts' });
