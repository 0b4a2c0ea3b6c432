import { describe, expect, test } from '@jest/globals';
import { type Options, parseArguments } from './options.ts';

function parse(...args: string[]) {
  const written = { out: '', err: '' };
  const result = parseArguments(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  });
  return { result, ...written };
}

const defaults: Options = {
  orders: 20_000,
  partitions: 8,
  workers: 2,
  seed: 1,
  redis: undefined,
  json: false,
};

describe('options', () => {
  test.each<[string[], Partial<Options>]>([
    [[], {}],
    [['--json'], { json: true }],
    [['--orders', '1'], { orders: 1 }],
    [
      ['--orders=500', '--partitions=3', '--workers=4', '--seed=7'],
      { orders: 500, partitions: 3, workers: 4, seed: 7 },
    ],
    [['--redis', 'redis://localhost:6380'], { redis: 'redis://localhost:6380' }],
    [['--redis', 'rediss://me:secret@host'], { redis: 'rediss://me:secret@host' }],
  ])('%j', (args, changed) => {
    expect(parse(...args)).toEqual({ result: { ...defaults, ...changed }, out: '', err: '' });
  });

  test.each<[string[], RegExp]>([
    [
      ['--orders', '0'],
      /'--orders <n>' argument '0' is invalid\. It must be a whole number from 1 to 1000000\.$/,
    ],
    [['--orders', 'many'], /argument 'many' is invalid/],
    [['--orders', '1e3'], /argument '1e3' is invalid/],
    [['--orders', '-1'], /argument '-1' is invalid/],
    [['--orders'], /argument missing/],
    [['--partitions', '257'], /It must be a whole number from 1 to 256\.$/],
    [['--workers', '17'], /It must be a whole number from 1 to 16\.$/],
    [['--seed', '0.5'], /'--seed <n>' argument '0\.5' is invalid/],
    [['--redis', 'localhost'], /It must look like redis:\/\//],
    [['--redis', 'http://localhost'], /It must look like redis:\/\//],
    [['--json=yes'], /--json/],
    [['--order', '1'], /unknown option '--order' \(Did you mean --orders\?\)/],
    [['orders.json'], /too many arguments/],
    [['--redis', 'one\nline'], /'one line' is invalid/],
  ])('%j is one line on stderr and exit code 2', (args, message) => {
    const { result, out, err } = parse(...args);
    expect({ result, out }).toEqual({ result: 2, out: '' });
    expect(err).toMatch(/^error: [^\n]+\n$/);
    expect(err.trimEnd()).toMatch(message);
  });

  test.each(['--help', '-h'])('%s explains every option, and exits with 0', (flag) => {
    const { result, out, err } = parse(flag);
    expect({ result, err }).toEqual({ result: 0, err: '' });
    for (const option of ['orders', 'partitions', 'workers', 'seed', 'redis', 'json', 'help']) {
      expect(out).toMatch(new RegExp(`--${option} .*[a-z]`));
    }
    expect(out).toMatch(/\(default: 20000\)/);
  });
});
