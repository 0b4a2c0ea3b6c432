import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { generate } from './data/generate.ts';
import { findAlone } from './find-alone.ts';
import { jsonReport } from './report-json.ts';

const TIMEOUT_MS = 60_000;
const ARGUMENTS = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, 'main.ts')];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the demo as `npm run demo:fraud` does, with pipes in the place of a terminal. */
function demo(args: readonly string[]): Promise<Ended> {
  // As where CI asks for colours.
  const env = { ...process.env, CI: '1', NO_COLOR: undefined, FORCE_COLOR: undefined };
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

const SMALL = ['--accounts', '20', '--seed', '7'];

describe('the demo as a process', () => {
  let ended: readonly Ended[];
  beforeAll(async () => {
    ended = await Promise.all(
      [[...SMALL, '--json'], [...SMALL, '--json', '--as-job'], SMALL, ['--accounts', 'some']].map(demo),
    );
  }, TIMEOUT_MS);

  test('--json prints one document', () => {
    const { events } = generate({ accounts: 20, seed: 7 });
    expect(ended[0]).toEqual({ code: 0, stderr: '', stdout: jsonReport(findAlone(events)) });
  });

  test('--as-job prints the same', () => {
    expect(ended[1]).toEqual(ended[0]);
  });

  test('without it, it prints tables, and has no colours in a pipe', () => {
    const { code, stdout, stderr } = ended[2] as Ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('4 of 4 planted frauds, 0 false');
    expect(stdout).not.toContain('\u001b');
  });

  test('a wrong option is one line on stderr and exit code 2', () => {
    const { code, stdout, stderr } = ended[3] as Ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });
});
