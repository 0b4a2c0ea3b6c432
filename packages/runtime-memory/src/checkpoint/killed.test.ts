import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StreamExecutionEnvironment } from '../index.ts';
import { FileSink } from '../test-support/file-sink.ts';
import { numbersJob } from '../test-support/numbers-job.ts';

const PROGRAM = join(__dirname, '../test-support/killed-program.ts');
const TIMEOUT_MS = 120_000;

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rs-killed-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

interface Ended {
  readonly signal: string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lets a process run the job until it comes to something for the nth time, and kills itself. */
function runProcess(what: string, howOften: number): Promise<Ended> {
  const args = ['--conditions=@rs/source', '--import', 'tsx', PROGRAM, directory, what, String(howOften)];
  const options = { env: { ...process.env, FORCE_COLOR: '0' }, timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ signal: error?.signal, stdout, stderr }),
    );
  });
}

/** What the job gives when nothing happens to it. */
async function expected(): Promise<string[]> {
  const results = join(directory, 'expected');
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  await env.executeAsync(numbersJob(new FileSink(results)));
  return FileSink.lines(results);
}

describe('a process that is killed and started again until it is done has each result once, in order', () => {
  test.each([
    ['record', 17, 9],
    ['before prepared', 4, 3],
    ['after prepared', 3, 4],
    ['before done', 4, 2],
    ['after done', 3, 3],
  ])(
    'at %s, the %d.',
    async (what, howOften, atLeast) => {
      let deaths = 0;
      let ended = await runProcess(what, howOften);
      while (ended.signal === 'SIGKILL' && deaths < 30) {
        deaths++;
        ended = await runProcess(what, howOften);
      }
      const { stderr, ...ending } = ended;
      expect(ending).toEqual({ signal: undefined, stdout: 'finished\n' });
      // A process that was killed when everything was done is told that nothing is left.
      expect(stderr).toMatch(/^(WARN all sources had ended in checkpoint .*\n)?$/);
      expect(FileSink.lines(join(directory, 'results'))).toEqual(await expected());
      expect(deaths).toBeGreaterThanOrEqual(atLeast);
    },
    TIMEOUT_MS,
  );
});
