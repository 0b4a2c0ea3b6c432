import { join } from 'node:path';
import { testSnippets } from '@rs/doc-snippets';
import { PAGES, WORKSPACE } from './pages.ts';

for (const page of PAGES) testSnippets(join(WORKSPACE, page));
