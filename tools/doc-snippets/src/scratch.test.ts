import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { extractSnippets, type Snippet } from './extract.ts';
import { Scratch } from './scratch.ts';

const TIMEOUT_MS = 60_000;

describe('Scratch', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(__dirname, '../.doc-snippets-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** The snippets of a file `guide.md` with these blocks. */
  function blocks(...code: string[]): [Scratch, Snippet[]] {
    const snippets = extractSnippets(code.map((text) => '```ts\n' + text + '\n```\n').join('\n'));
    return [Scratch.create(join(folder, 'guide.md'), snippets), snippets];
  }

  /** What the only block prints. */
  async function print(code: string, timeoutMs?: number): Promise<string[]> {
    const [created, snippets] = blocks(code);
    const [output] = await Promise.all(snippets.map((snippet) => created.run(snippet, timeoutMs)));
    return output ?? [];
  }

  test(
    'a snippet may import packages and await at top level',
    async () => {
      const code = [
        "import { testSnippets } from '@rs/doc-snippets';",
        'console.log(await Promise.resolve(testSnippets.length));',
      ];
      const [created] = blocks(code.join('\n'));
      expect(await created.typeErrors()).toBe('');
    },
    TIMEOUT_MS,
  );

  test(
    'type errors name the line of the Markdown file',
    async () => {
      const [created] = blocks('const ok = 1;', '\nconst wrong: string = 2;');
      expect(await created.typeErrors()).toMatch(/^guide\.md:7:7: error TS2322: /);
    },
    TIMEOUT_MS,
  );

  test(
    'blocks do not see each other',
    async () => {
      const [created] = blocks('const value = 1;', 'const value = 2;', 'console.log(value);');
      expect(await created.typeErrors()).toMatch(/^guide\.md:10:13: error TS2304: [^\n]*$/);
    },
    TIMEOUT_MS,
  );

  test(
    'the output comes line by line',
    async () => {
      expect(await print("console.log({ a: 1 });\nawait null;\nconsole.log('b');")).toEqual([
        '{ a: 1 }',
        'b',
      ]);
      expect(await print("console.error('not part of it');")).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'a snippet that throws fails with its line',
    async () => {
      await expect(print("\nthrow new Error('no luck');")).rejects.toThrow(/guide\.md:3[^]*no luck/);
    },
    TIMEOUT_MS,
  );

  test(
    'a rejection nobody handles fails',
    async () => {
      await expect(print("void Promise.reject(new Error('lost'));")).rejects.toThrow('lost');
    },
    TIMEOUT_MS,
  );

  test(
    'a snippet that does not end is killed',
    async () => {
      await expect(print('setInterval(() => undefined, 1000);', 2_000)).rejects.toThrow(
        /still running after 2 s/,
      );
    },
    TIMEOUT_MS,
  );

  test('nothing is left behind', () => {
    const [created] = blocks('f();');
    expect(readdirSync(folder)).toHaveLength(1);
    created.remove();
    expect(readdirSync(folder)).toEqual([]);
  });
});
