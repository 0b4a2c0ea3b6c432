import { describe, expect, test } from '@jest/globals';
import { extractSnippets } from './extract.ts';

const fenced = (info: string, ...code: string[]): string => ['```' + info, ...code, '```', ''].join('\n');

describe('extractSnippets', () => {
  test('takes the TypeScript blocks and leaves the others', () => {
    const markdown = [
      '# Title',
      fenced('sh', 'npm ci'),
      fenced('ts', 'f();'),
      fenced('typescript', 'g();'),
    ].join('\n');
    expect(extractSnippets(markdown).map(({ code }) => code.trim())).toEqual(['f();', 'g();']);
  });

  test('keeps the line numbers of the Markdown file', () => {
    const [snippet] = extractSnippets(['one', 'two', fenced('ts', 'f();', 'g();')].join('\n'));
    expect(snippet).toMatchObject({ line: 3, code: '\n\n\nf();\ng();', run: true, output: null });
  });

  test('takes blocks out of lists, without their indentation', () => {
    const [snippet] = extractSnippets('- item\n\n  ```ts\n  if (a) {\n    f();\n  }\n  ```\n');
    expect(snippet?.code.trimStart()).toBe('if (a) {\n  f();\n}');
  });

  test('a longer fence holds a shorter one, and tildes hold backticks', () => {
    expect(extractSnippets('````md\n```ts\nf();\n```\n````\n')).toEqual([]);
    expect(extractSnippets('~~~ts\nconst fence = `\n```\n`;\n~~~\n')[0]?.code).toContain('```');
  });

  test('reads the output a snippet promises', () => {
    const [snippet] = extractSnippets(
      fenced('ts', 'print(1); // → 1', 'print();', '// → ', '// → a  b', '// → c'),
    );
    expect(snippet?.output).toEqual(['1', '', 'a  b', 'c']);
  });

  test('does not run a block marked no-run', () => {
    expect(extractSnippets(fenced('ts no-run', 'f();'))[0]?.run).toBe(false);
  });

  test('joins a block marked continue with the one before it', () => {
    const snippets = extractSnippets(
      fenced('ts', 'a(); // → 1') + 'text\n' + fenced('ts continue', 'b(); // → 2'),
    );
    expect(snippets).toEqual([
      { line: 1, code: '\na(); // → 1\n\n\n\nb(); // → 2', run: true, output: ['1', '2'] },
    ]);
  });

  test.each([
    ['an unknown marker', fenced('ts norun', 'f();'), /line 1: unknown marker 'norun'/],
    ['a fence without an end', 'text\n```ts\nf();\n', /line 2: .* never closed/],
    ['nothing to continue', fenced('ts continue', 'f();'), /line 1: 'continue'/],
    ['a continued no-run', fenced('ts no-run', 'f();') + fenced('ts continue', 'g();'), /line 4: 'continue'/],
  ])('refuses %s', (_, markdown, message) => {
    expect(() => extractSnippets(markdown)).toThrow(message);
  });
});
