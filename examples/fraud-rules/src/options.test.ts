import { describe, expect, test } from '@jest/globals';
import { DEFAULTS, type Options, parseArguments } from './options.ts';

function parse(...args: string[]) {
  const written = { out: '', err: '' };
  const result = parseArguments(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  });
  return { result, ...written };
}

const defaults: Options = { ...DEFAULTS, asJob: false, json: false };

describe('options', () => {
  test.each<[string[], Partial<Options>]>([
    [[], {}],
    [['--json'], { json: true }],
    [['--as-job', '--json'], { asJob: true, json: true }],
    [['--as-job', '--out-of-orderness', '5s'], { asJob: true, outOfOrderness: 5_000 }],
    [['--as-job', '--out-of-orderness', '0'], { asJob: true, outOfOrderness: 0 }],
    [['--accounts', '1'], { accounts: 1 }],
    [['--seed=0'], { seed: 0 }],
    [['--seed', '4294967295', '--accounts', '9999'], { seed: 2 ** 32 - 1, accounts: 9_999 }],
  ])('%j', (args, changed) => {
    expect(parse(...args)).toEqual({ result: { ...defaults, ...changed }, out: '', err: '' });
  });

  test.each<[string[], RegExp]>([
    [['--accounts', '0'], /'0' is invalid\. It must be a whole number from 1 to 9999\.$/],
    [['--accounts', '10000'], /'10000' is invalid/],
    [['--accounts', 'many'], /'many' is invalid/],
    [['--seed', '-1'], /'-1' is invalid/],
    [['--seed', '1.5'], /It must be a whole number from 0 to 4294967295\.$/],
    [['--seed'], /argument missing/],
    [['--out-of-orderness', '5s'], /'--out-of-orderness <duration>' needs '--as-job'/],
    [['--out-of-orderness', '10s'], /'--out-of-orderness <duration>' needs '--as-job'/],
    [['--as-job', '--out-of-orderness', 'soon'], /argument 'soon' is invalid\. It must be milliseconds/],
    [['--as-jb'], /unknown option '--as-jb' \(Did you mean --as-job\?\)/],
    [['events.json'], /too many arguments/],
  ])('%j is one line on stderr and exit code 2', (args, message) => {
    const { result, out, err } = parse(...args);
    expect(result).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^error: [^\n]+\n$/);
    expect(err.trimEnd()).toMatch(message);
  });

  test.each(['--help', '-h'])('%s explains every option, and exits with 0', (flag) => {
    const { result, out, err } = parse(flag);
    expect({ result, err }).toEqual({ result: 0, err: '' });
    for (const option of ['accounts', 'seed', 'as-job', 'out-of-orderness', 'json', 'help']) {
      expect(out).toMatch(new RegExp(`--${option} .*[a-z]`));
    }
    expect(out).toMatch(/\(default:\s+10s\)/);
  });
});
