import { describe, expect, test } from '@jest/globals';
import { contentProblems } from './contents.ts';
import type { Manifest } from './manifest.ts';

const WINDOW: Manifest = {
  name: '@rs/window',
  exports: {
    '.': {
      '@rs/source': './src/index.ts',
      import: { types: './dist/index.d.ts', default: './dist/index.js' },
      require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
    },
    './package.json': './package.json',
  },
  dependencies: { '@rs/core': '^0.1.0' },
};

const FILES = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'src/index.ts',
  'dist/index.js',
  'dist/index.cjs',
  'dist/index.d.ts',
  'dist/index.d.cts',
];

describe('contentProblems', () => {
  test('finds nothing in a package as it should be', () => {
    expect(contentProblems(WINDOW, FILES)).toEqual([]);
  });

  test.each(['src/index.test.ts', 'src/index.test-d.ts', 'src/test-support/fake.ts'])(
    '%s is test code',
    (file) => {
      expect(contentProblems(WINDOW, [...FILES, file])).toEqual([`${file} is test code`]);
    },
  );

  test.each(['jest.config.cjs', 'out-tsc/index.d.ts', '.env'])('%s does not belong there', (file) => {
    expect(contentProblems(WINDOW, [...FILES, file])).toEqual([expect.stringContaining(file)]);
  });

  test.each(['src/index.ts', 'dist/index.cjs', 'dist/index.d.cts'])('%s must be there', (file) => {
    const files = FILES.filter((other) => other !== file);
    expect(contentProblems(WINDOW, files)).toEqual([
      expect.stringContaining(`${file} is named in "exports"`),
    ]);
  });

  test.each(['LICENSE', 'README.md', 'CHANGELOG.md'])('%s is demanded', (file) => {
    const files = FILES.filter((other) => other !== file);
    expect(contentProblems(WINDOW, files)).toEqual([`${file} is missing`]);
  });

  test.each(['dependencies', 'peerDependencies', 'optionalDependencies'])(
    'forbidden %s are found',
    (section) => {
      const manifest = {
        ...WINDOW,
        [section]: { '@rs/core': '^0.1.0', '@rs/runtime': '^0.1.0', lodash: '4.17.21' },
      };
      expect(contentProblems(manifest, FILES)).toEqual([
        expect.stringContaining('@rs/runtime'),
        expect.stringContaining('lodash'),
      ]);
    },
  );

  test('a package outside of the table is refused', () => {
    expect(contentProblems({ ...WINDOW, name: '@rs/other' }, FILES)).toEqual([
      expect.stringContaining('@rs/other'),
    ]);
  });
});
