import { describe, expect, test } from '@jest/globals';
import { exampleOf } from './example.ts';

const code = `
import { type Order, send } from '@rs/shop';

const order: Order = { id: 1 };
await send(order);
console.log('sent'); // → sent
`;

describe('exampleOf', () => {
  test('an ES module, without types', () => {
    const { esm } = exampleOf({ code, output: null });
    expect(esm).toContain("import { send } from '@rs/shop';");
    expect(esm).toContain('const order = { id: 1 };\nawait send(order);');
  });

  test('a CommonJS module, where await stands in a function', () => {
    const { commonjs } = exampleOf({ code, output: null });
    expect(commonjs).toContain('require("@rs/shop")');
    expect(commonjs).not.toContain('import ');
    expect(commonjs).toMatch(
      /async function main\(\) \{[^]*await \(0, shop_1\.send\)\(order\);[^]*\}\nmain\(\);/,
    );
  });

  test('what does not await stays at the top, with its exports', () => {
    const { commonjs } = exampleOf({
      code: "import { a } from 'b';\nexport const c = a(1);\n",
      output: null,
    });
    expect(commonjs).toContain('exports.c = ');
    expect(commonjs).not.toContain('main');
  });

  test('keeps what is promised', () => {
    expect(exampleOf({ code, output: ['sent'] })).toMatchObject({
      typescript: code.trimStart(),
      output: ['sent'],
    });
  });
});
