import { describe, expect, test } from '@jest/globals';
import { type Options, parseArguments } from './options.ts';

const DAY = 86_400_000;

function parse(...args: string[]) {
  const written = { out: '', err: '' };
  const result = parseArguments(args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  });
  return { result, ...written };
}

const defaults: Options = {
  windowing: { kind: 'tumbling', size: DAY },
  outOfOrderness: DAY,
  limit: undefined,
  partitions: undefined,
  engine: 'memory',
  crashAfter: undefined,
  alerts: false,
  json: false,
};

describe('options', () => {
  test.each<[string[], Partial<Options>]>([
    [[], {}],
    [['--json'], { json: true }],
    [['--window', '90m'], { windowing: { kind: 'tumbling', size: 5_400_000 } }],
    [['--window=1.5h'], { windowing: { kind: 'tumbling', size: 5_400_000 } }],
    [['--window', '60000'], { windowing: { kind: 'tumbling', size: 60_000 } }],
    [['--slide', '6h'], { windowing: { kind: 'sliding', size: DAY, slide: DAY / 4 } }],
    [
      ['--window', '1h', '--slide', '2h'],
      { windowing: { kind: 'sliding', size: 3_600_000, slide: 7_200_000 } },
    ],
    [['--session', '30m'], { windowing: { kind: 'session', gap: 1_800_000 } }],
    [['--out-of-orderness', '30m'], { outOfOrderness: 1_800_000 }],
    [['--out-of-orderness', '0'], { outOfOrderness: 0 }],
    [['--out-of-orderness', '0ms'], { outOfOrderness: 0 }],
    [['--limit', '1'], { limit: 1 }],
    [['--partitions', '8'], { partitions: 8 }],
    [['--engine', 'redis'], { engine: 'redis' }],
    [['--engine', 'redis', '--crash-after', '5000'], { engine: 'redis', crashAfter: 5_000 }],
    [['--limit', '5000', '--json'], { limit: 5_000, json: true }],
    [['--alerts', '--json'], { alerts: true, json: true }],
  ])('%j', (args, changed) => {
    expect(parse(...args)).toEqual({ result: { ...defaults, ...changed }, out: '', err: '' });
  });

  test.each<[string[], RegExp]>([
    [
      ['--window', 'soon'],
      /'--window <duration>' argument 'soon' is invalid\. It must be milliseconds ≥ 0 or a text/,
    ],
    [['--window', '0'], /It must be at least 1 ms, got 0\.$/],
    [['--window', '0s'], /It must be at least 1 ms, got 0s\.$/],
    [['--window', '-1h'], /'-1h' is invalid/],
    [['--window', ''], /'' is invalid/],
    [['--window', '99999999999999999999'], /is invalid/],
    [['--window', '99999999d'], /size must be at most \d+ ms/],
    [['--window'], /argument missing/],
    [['--slide', '0'], /'--slide <duration>' argument '0' is invalid/],
    [['--slide', '1ms'], /at most 300 times the slide/],
    [['--partitions', '0'], /'0' is invalid\. It must be a whole number from 1\.$/],
    [['--partitions', '257'], /'257' is invalid\. It must be at most 256\.$/],
    [['--session', 'x'], /'--session <gap>' argument 'x' is invalid/],
    [
      ['--session', '1h', '--window', '1d'],
      /'--session <gap>' cannot be used with option '--window <duration>'/,
    ],
    [
      ['--slide', '1h', '--session', '1h'],
      /'--session <gap>' cannot be used with option '--slide <duration>'/,
    ],
    [['--out-of-orderness', '-5'], /argument '-5' is invalid/],
    [['--out-of-orderness', '1w'], /argument '1w' is invalid/],
    [['--engine', 'disk'], /'disk' is invalid\. Allowed choices are memory, redis\.$/],
    [['--engine', 'redis', '--crash-after', '0'], /'0' is invalid\. It must be a whole number from 1\.$/],
    [['--crash-after', '5'], /'--crash-after <n>' needs '--engine redis'/],
    [['--limit', '0'], /must be a whole number from 1/],
    [['--limit', '-1'], /argument '-1' is invalid/],
    [['--limit', '1.5'], /argument '1\.5' is invalid/],
    [['--limit', '1e3'], /argument '1e3' is invalid/],
    [['--limit', 'many'], /argument 'many' is invalid/],
    [['--alerts=3'], /--alerts/],
    [['--alert'], /unknown option '--alert' \(Did you mean --alerts\?\)/],
    [['--json=yes'], /unknown option|does not take an argument|--json/],
    [['--windw', '1d'], /unknown option '--windw' \(Did you mean --window\?\)/],
    [['-x'], /unknown option '-x'/],
    [['flights.json'], /too many arguments/],
    [['--window', 'one\nday'], /'one day' is invalid/],
  ])('%j is one line on stderr and exit code 2', (args, message) => {
    const { result, out, err } = parse(...args);
    expect(result).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(/^error: [^\n]+\n$/);
    expect(err.trimEnd()).toMatch(message);
  });

  test.each(['--help', '-h'])('%s explains every option, and exits with 0', (flag) => {
    const { result, out, err } = parse(flag);
    expect(result).toBe(0);
    expect(err).toBe('');
    for (const option of [
      'window',
      'slide',
      'session',
      'out-of-orderness',
      'limit',
      'engine',
      'crash-after',
      'alerts',
      'json',
      'help',
    ]) {
      expect(out).toMatch(new RegExp(`--${option} .*[a-z]`));
    }
    expect(out).toMatch(/\(default: 1d\)/);
  });
});
