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

/** Runs the demo as `npm run demo` does, with pipes in the place of a terminal. */
function demo(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...ARGUMENTS, ...args],
      { env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

describe('the demo as a process', () => {
  test(
    'prints a table of ten airports, and nothing else',
    async () => {
      const { code, stdout, stderr } = await demo([], {
        ...process.env,
        NO_COLOR: '1',
        FORCE_COLOR: undefined,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('20,000 flights read');
      expect(stdout.match(/│ .* \([A-Z]{3}\) /g)).toHaveLength(10);
      expect(stdout).not.toContain('\u001b');
    },
    TIMEOUT_MS,
  );

  test(
    '--json prints one document, of the flights that --limit leaves',
    async () => {
      const { code, stdout, stderr } = await demo(['--json', '--limit', '100', '--session', '2h']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const report = JSON.parse(stdout) as { records: number; windows: { flights: number }[] };
      expect(report.records).toBe(100);
      expect(report.windows.reduce((sum, { flights }) => sum + flights, 0)).toBe(100);
    },
    TIMEOUT_MS,
  );

  test(
    'a wrong option is one line on stderr and exit code 2',
    async () => {
      const { code, stdout, stderr } = await demo(['--window', 'soon']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
    },
    TIMEOUT_MS,
  );

  test(
    '--help prints the help and exits with 0',
    async () => {
      const { code, stdout, stderr } = await demo(['--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: /);
    },
    TIMEOUT_MS,
  );
});
