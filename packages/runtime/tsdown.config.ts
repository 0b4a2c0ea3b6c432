import { libraryConfig } from '../../tsdown.base.ts';

export default libraryConfig(['src/index.ts']);
