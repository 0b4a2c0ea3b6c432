import { describe, expect, test } from '@jest/globals';
import { parseArguments } from './options.ts';

function parse(...args: string[]) {
  const written = { out: '', err: '' };
  const result = parseArguments(args, {
    out: (text) => (written.out += text),
    err: (text) => (written.err += text),
  });
  return { result, ...written };
}

test('the defaults', () => {
  expect(parse('mq').result).toEqual({
    ...{ suite: 'mq', seconds: 60, seed: undefined, rate: 300, keep: false, json: false },
  });
});

test('everything said', () => {
  const { result } = parse('runtime', '--seconds', '5', '--seed', '0', '--rate', '50', '--keep', '--json');
  expect(result).toEqual({ suite: 'runtime', seconds: 5, seed: 0, rate: 50, keep: true, json: true });
});

describe('a wrong line is one complaint and exit code 2', () => {
  test.each([
    [[]],
    [['redis']],
    [['mq', '--seconds', '0']],
    [['mq', '--seconds', '1.5']],
    [['mq', '--seed', '-1']],
    [['mq', '--seed', '4294967296']],
    [['mq', '--rate', 'fast']],
    [['mq', '--second', '5']],
  ])('%j', (args) => {
    const { result, out, err } = parse(...args);
    expect({ result, out }).toEqual({ result: 2, out: '' });
    expect(err).toMatch(/^error: [^\n]+\n$/);
  });
});

test('the help says what the exit codes mean, and ends well', () => {
  const { result, out, err } = parse('--help');
  expect({ result, err }).toEqual({ result: 0, err: '' });
  expect(out).toMatch(/^Usage: chaos [^]*Exit status: 0/);
});
