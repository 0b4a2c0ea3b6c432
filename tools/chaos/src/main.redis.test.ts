import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const TIMEOUT_MS = 180_000;
const ARGUMENTS = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, 'main.ts')];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it as `npm run chaos` does, with pipes in the place of a terminal. */
function chaos(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...ARGUMENTS, ...args],
      { timeout: TIMEOUT_MS, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

test(
  'a short run keeps every promise',
  async () => {
    const { code, stdout, stderr } = await chaos('mq', '--seconds', '10', '--seed', '3', '--json');
    const report = JSON.parse(stdout) as {
      seed: number;
      messages: { confirmed: number; written: number; handled: number; deadLetters: number };
      faults: Record<string, number>;
      violations: unknown[];
    };
    expect(report.violations).toEqual([]);
    expect({ code, seed: report.seed }).toEqual({ code: 0, seed: 3 });
    expect(stderr).toContain('npm run chaos -- mq --seconds 10 --seed 3\n');
    const { confirmed, written, handled, deadLetters } = report.messages;
    expect(confirmed).toBeGreaterThan(500);
    expect(written).toBeGreaterThanOrEqual(confirmed);
    expect(handled + deadLetters).toBe(written);
    expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  },
  TIMEOUT_MS,
);

test(
  'a short run of the runtime keeps every promise',
  async () => {
    const { code, stdout, stderr } = await chaos(
      'runtime',
      '--seconds',
      '10',
      '--rate',
      '150',
      '--seed',
      '2',
      '--json',
    );
    const report = JSON.parse(stdout) as {
      seed: number;
      records: { confirmed: number; written: number; counted: number };
      results: { windows: number; sessions: number; timers: number; clocked: number };
      commits: { made: number };
      faults: Record<string, number>;
      violations: unknown[];
    };
    expect(report.violations).toEqual([]);
    expect({ code, seed: report.seed }).toEqual({ code: 0, seed: 2 });
    expect(stderr).toContain('npm run chaos -- runtime --seconds 10 --seed 2\n');
    const { confirmed, written, counted } = report.records;
    expect(confirmed).toBeGreaterThan(500);
    expect(written).toBeGreaterThanOrEqual(confirmed);
    expect({ counted, clocked: report.results.clocked }).toEqual({ counted: written, clocked: written });
    expect(Math.min(report.results.windows, report.results.sessions, report.results.timers)).toBeGreaterThan(
      50,
    );
    expect(report.commits.made).toBeGreaterThan(100);
    expect(Object.keys(report.faults).length).toBeGreaterThan(3);
  },
  TIMEOUT_MS,
);

test(
  'a wrong option is one line on stderr and exit code 2',
  async () => {
    const { code, stdout, stderr } = await chaos('mq', '--seed', 'lucky');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  },
  TIMEOUT_MS,
);
