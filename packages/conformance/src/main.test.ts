import { describe, expect, test } from '@jest/globals';
import { conformance } from './test-support/conformance.ts';

const TIMEOUT_MS = 60_000;

describe('the suite as a process', () => {
  test(
    'prints a table of the cases that were asked for, without colours',
    async () => {
      const { code, stdout, stderr } = await conformance(['--no-redis', '--only', 'time to live']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.match(/│ state: time to live/g)).toHaveLength(3);
      expect(stdout).toMatch(/\n3 cases × 7 drivers: all equal\n$/);
      expect(stdout).not.toContain('\u001b');
    },
    TIMEOUT_MS,
  );

  test(
    '--json prints one document',
    async () => {
      const { code, stdout, stderr } = await conformance([
        '--json',
        '--no-redis',
        '--only',
        'evictors: count',
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { cases, equal } = JSON.parse(stdout) as { cases: { partitions: number }[]; equal: boolean };
      expect(cases.map(({ partitions }) => partitions)).toEqual([1, 4]);
      expect(equal).toBe(true);
    },
    TIMEOUT_MS,
  );

  test.each([
    [['--only', 'nothing is called so'], /^error: no case has 'nothing is called so'[^\n]+\n$/],
    [['--fast'], /^error: unknown option[^\n]+\n$/],
  ])(
    '%j is one line on stderr and exit code 2',
    async (args, message) => {
      const { code, stdout, stderr } = await conformance(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    },
    TIMEOUT_MS,
  );
});
