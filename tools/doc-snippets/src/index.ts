export { testSnippets } from './test-snippets.ts';
