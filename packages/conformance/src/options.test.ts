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

describe('options', () => {
  test.each<[string[], Options]>([
    [[], { json: false, only: undefined, redis: true }],
    [['--json'], { json: true, only: undefined, redis: true }],
    [['--only', 'windows'], { json: false, only: 'windows', redis: true }],
    [['--only=', '--json', '--no-redis'], { json: true, only: '', redis: false }],
  ])('%j', (args, result) => {
    expect(parse(...args)).toEqual({ result, out: '', err: '' });
  });

  test.each<[string[], RegExp]>([
    [['--only'], /argument missing/],
    [['--jsn'], /unknown option '--jsn' \(Did you mean --json\?\)/],
    [['windows'], /too many arguments/],
    [['--json=yes'], /unknown option|does not take an argument|--json/],
  ])('%j is one line on stderr and exit code 2', (args, message) => {
    const { result, out, err } = parse(...args);
    expect({ result, out }).toEqual({ result: 2, out: '' });
    expect(err).toMatch(/^error: [^\n]+\n$/);
    expect(err).toMatch(message);
  });

  test.each(['--help', '-h'])('%s explains every option, and exits with 0', (flag) => {
    const { result, out, err } = parse(flag);
    expect({ result, err }).toEqual({ result: 0, err: '' });
    for (const option of ['json', 'only', 'no-redis', 'help'])
      expect(out).toMatch(new RegExp(`--${option} .*[a-z]`));
    expect(out).toContain('Exit status');
  });
});
