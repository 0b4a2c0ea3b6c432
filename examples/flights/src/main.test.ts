import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

function spawnDemo(args: readonly string[], stdout: 'pipe' | number): ChildProcess {
  return spawn(process.execPath, [...ARGUMENTS, ...args], {
    stdio: ['ignore', stdout, 'pipe'],
    timeout: TIMEOUT_MS,
  });
}

async function ended(child: ChildProcess): Promise<Omit<Ended, 'stdout'>> {
  const code = new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('close', (exitCode) => resolve(Number(exitCode)));
  });
  const stderr = child.stderr === null ? '' : text(child.stderr);
  return { code: await code, stderr: await stderr };
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
    '--alerts adds them to the document, and a table to the table',
    async () => {
      const args = ['--limit', '3000'];
      const [plain, json, table] = await Promise.all([
        demo(['--json', ...args]),
        demo(['--json', '--alerts', ...args]),
        demo(['--alerts', ...args]),
      ]);
      for (const { code, stderr } of [plain, json, table])
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { alerts, ...others } = JSON.parse(json.stdout) as {
        alerts: { origin: string; delays: number[] }[];
      };
      expect(others).toEqual(JSON.parse(plain.stdout));
      expect(alerts.length).toBeGreaterThan(0);
      expect(table.stdout).toContain(`${alerts.length} alert`);
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
    'has no colours in a pipe, also where CI asks for them',
    async () => {
      const env = { ...process.env, CI: '1', NO_COLOR: undefined, FORCE_COLOR: undefined };
      const { code, stdout } = await demo(['--limit', '50'], env);
      expect(code).toBe(0);
      expect(stdout).toContain('50 flights read');
      expect(stdout).not.toContain('\u001b');
    },
    TIMEOUT_MS,
  );

  test.each([[['--limit', '50']], [['--json', '--limit', '50']], [['--help']]])(
    'a stdout that cannot be written is one line on stderr and exit code 1: %j',
    async (args) => {
      const readOnly = await open(__filename, 'r');
      try {
        const { code, stderr } = await ended(spawnDemo(args, readOnly.fd));
        expect(stderr).toMatch(/^error: the result cannot be written: E[A-Z]+: [^\n]+\n$/);
        expect(code).toBe(1);
      } finally {
        await readOnly.close();
      }
    },
    TIMEOUT_MS,
  );

  test.each([[['--json']], [['--help']]])(
    'a reader that goes away is no error: %j',
    async (args) => {
      const child = spawnDemo(args, 'pipe');
      child.stdout?.destroy();
      expect(await ended(child)).toEqual({ code: 0, stderr: '' });
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
