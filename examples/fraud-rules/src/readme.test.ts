import { join } from 'node:path';
import { testSnippets } from '@rs/doc-snippets';

testSnippets(join(__dirname, '../README.md'));
