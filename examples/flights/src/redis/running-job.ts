import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type JobReport, type JobSettings, SETTINGS_VARIABLE } from './settings.ts';

const PROGRAM = join(import.meta.dirname, 'job-process.ts');

/** How a process of the job ended. */
export type JobEnd =
  /** There is nothing left to do. */
  | { readonly type: 'finished' }
  | { readonly type: 'killed' }
  | { readonly type: 'failed'; readonly message: string };

export type OnProgress = (report: Extract<JobReport, { readonly type: 'progress' }>) => void;

/** The job in a process of its own. It ends with this one, however this one ends. */
export class RunningJob {
  /** What came first: that it has finished or failed, or its end. */
  readonly end: Promise<JobEnd>;
  readonly #child: ChildProcess;

  constructor(settings: JobSettings, onProgress: OnProgress) {
    const child = fork(PROGRAM, {
      env: { ...process.env, [SETTINGS_VARIABLE]: JSON.stringify(settings) },
      // Nothing of it may come between the results.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.end = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const message = `the process of the job has ended with ${signal ?? `exit code ${code}`}`;
        resolve(signal === 'SIGKILL' ? { type: 'killed' } : { type: 'failed', message });
      });
      child.on('message', (report: JobReport) => {
        if (report.type === 'progress') onProgress(report);
        else resolve(report);
      });
    });
  }

  /** As a crash: it can do nothing about it. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}
