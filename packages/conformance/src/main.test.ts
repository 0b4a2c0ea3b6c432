import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const TIMEOUT_MS = 60_000;
const ARGUMENTS = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, 'main.ts')];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the suite as `npm run conformance` does, with pipes in the place of a terminal. */
function conformance(args: readonly string[]): Promise<Ended> {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...ARGUMENTS, ...args],
      { env, timeout: TIMEOUT_MS },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

describe('the suite as a process', () => {
  test(
    'prints a table of the cases that were asked for, without colours',
    async () => {
      const { code, stdout, stderr } = await conformance(['--only', 'time to live']);
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
      const { code, stdout, stderr } = await conformance(['--json', '--only', 'evictors: count']);
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
