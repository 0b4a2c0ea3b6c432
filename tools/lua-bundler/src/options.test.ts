import { expect, test } from '@jest/globals';
import { EXIT_USAGE, parseArguments } from './options.ts';

function parse(...args: readonly string[]) {
  const printed = { out: '', err: '' };
  const result = parseArguments(args, {
    out: (text) => (printed.out += text),
    err: (text) => (printed.err += text),
  });
  return { result, ...printed };
}

test('writes, or only checks', () => {
  expect(parse().result).toEqual({ check: false });
  expect(parse('--check').result).toEqual({ check: true });
});

test('help', () => {
  const { result, out } = parse('--help');
  expect(result).toBe(0);
  expect(out).toContain('src/lua/scripts.generated.ts');
});

test.each([
  ['--chek', "error: unknown option '--chek' (Did you mean --check?)\n"],
  ['settle.lua', 'error: too many arguments. Expected 0 arguments but got 1.\n'],
])('%s', (arg, complaint) => {
  const { result, err } = parse(arg);
  expect(result).toBe(EXIT_USAGE);
  expect(err).toBe(complaint);
});
