import { join } from 'node:path';
import { testSnippets } from './test-snippets.ts';

// The fixture shows every kind of block; the tests below are the ones a package gets for its README.
testSnippets(join(__dirname, '../fixtures/guide.md'));
