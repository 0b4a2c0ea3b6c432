import { describe, expect, test } from '@jest/globals';
import { anchorsOf, linksOf, tableBelow } from './markdown.ts';

describe('linksOf', () => {
  test('finds links in prose, in tables and around code', () => {
    const markdown = 'See [a](a.md) and [`b`](b.md#x).\n\n| [c](c/) |\n| ------- |\n';
    expect(linksOf(markdown)).toEqual(['a.md', 'b.md#x', 'c/']);
  });

  test('leaves code alone', () => {
    expect(linksOf('`f[0](x)` and\n\n```ts\nf[0](y);\n```\n[d](d.md)')).toEqual(['d.md']);
  });
});

describe('anchorsOf', () => {
  test.each([
    ['# Time and windows', 'time-and-windows'],
    ['### What your functions throw?', 'what-your-functions-throw'],
    ['## `uid`', 'uid'],
    ['## Eager and executeAsync', 'eager-and-executeasync'],
  ])('of %s', (heading, anchor) => {
    expect(anchorsOf(`text\n\n${heading}\n\ntext`)).toEqual([anchor]);
  });

  test('a comment in code is no heading', () => {
    expect(anchorsOf('# A\n\n```sh\n# b\n```\n')).toEqual(['a']);
  });
});

describe('tableBelow', () => {
  const markdown = '## A\n\n| x |\n|---|\n| 1 |\n\n## B\n\n| x | y |\n|---|---|\n| 2 | `3` |\n| 4 |  |\n';

  test('reads the rows below the heading', () => {
    expect(tableBelow(markdown, 'B')).toEqual([
      ['2', '`3`'],
      ['4', ''],
    ]);
  });

  test('is empty where there is no such heading', () => {
    expect(tableBelow(markdown, 'C')).toEqual([]);
  });
});
