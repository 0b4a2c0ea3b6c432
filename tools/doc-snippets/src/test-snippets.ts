import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { extractSnippets } from './extract.ts';
import { Scratch } from './scratch.ts';

const TIMEOUT_MS = 60_000;

/**
 * Registers Jest tests for the TypeScript blocks of a Markdown file: one that type-checks all of them, and one per block
 * that runs it. The rules for blocks stand in CONTRIBUTING.md, "Snippets in documentation".
 *
 * @param markdownFile absolute path; it must lie in the workspace and hold at least one TypeScript block
 */
export function testSnippets(markdownFile: string): void {
  const name = basename(markdownFile);
  const snippets = extractSnippets(readFileSync(markdownFile, 'utf8'));
  if (snippets.length === 0)
    throw new Error(`${markdownFile} holds no TypeScript block; nothing would be tested`);

  describe(`snippets of ${name}`, () => {
    let scratch: Scratch;
    beforeAll(() => {
      scratch = Scratch.create(markdownFile, snippets);
    });
    afterAll(() => {
      scratch.remove();
    });

    test(
      'have no type errors',
      async () => {
        expect(await scratch.typeErrors()).toBe('');
      },
      TIMEOUT_MS,
    );

    for (const snippet of snippets.filter(({ run }) => run)) {
      test(
        `${name}:${snippet.line} ${snippet.output === null ? 'runs' : 'prints what it says'}`,
        async () => {
          const printed = await scratch.run(snippet);
          if (snippet.output !== null) expect(printed).toEqual(snippet.output);
        },
        TIMEOUT_MS,
      );
    }
  });
}
