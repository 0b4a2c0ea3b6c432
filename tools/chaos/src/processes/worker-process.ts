import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { now } from '../time/now.ts';
import { CONFIG_VARIABLE, type WorkerConfig, type WorkerRequest } from '../workers/config.ts';
import type { Keeper } from './keeper.ts';

const MAIN = join(import.meta.dirname, '../workers/main.ts');
const ERROR_LENGTH = 4_000;

/** How a process ended that nobody had told to. */
export interface UnexpectedEnd {
  readonly at: number;
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** The last it said. */
  readonly stderr: string;
}

/** One process of a worker, from its start to its end. */
export class WorkerProcess {
  readonly incarnation: string;
  readonly journal: string;
  readonly startedAt = now();
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  #state: 'running' | 'frozen' | 'ended' = 'running';
  #wanted = false;
  #endedAt: number | undefined;
  #killedAt: number | undefined;
  #unexpected: UnexpectedEnd | undefined;

  constructor(config: WorkerConfig, keeper: Keeper) {
    this.incarnation = config.incarnation;
    this.journal = config.journal;
    const child = spawn(process.execPath, ['--conditions=@rs/source', '--import', 'tsx', MAIN], {
      env: { ...process.env, [CONFIG_VARIABLE]: JSON.stringify(config) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) keeper.add(pid);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-ERROR_LENGTH);
    });
    this.exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (pid !== undefined) keeper.drop(pid);
        this.#state = 'ended';
        this.#endedAt = now();
        if (!this.#wanted || code !== 0) this.#noteEnd(code, signal, stderr);
        resolve();
      });
    });
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** When it was killed, right before the signal. */
  get killedAt(): number | undefined {
    return this.#killedAt;
  }

  get unexpectedEnd(): UnexpectedEnd | undefined {
    return this.#unexpected;
  }

  async kill(): Promise<void> {
    if (this.ended) return;
    this.#killedAt ??= now();
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  freeze(): void {
    if (!this.running) return;
    this.#state = 'frozen';
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    this.#child.kill('SIGCONT');
  }

  /** Asks it to close in order, and waits for its end. */
  async stop(): Promise<void> {
    if (this.ended) return;
    this.#wanted = true;
    const request: WorkerRequest = 'stop';
    this.#child.send(request);
    await this.exited;
  }

  #noteEnd(code: number | null, signal: string | null, stderr: string): void {
    if (this.#killedAt !== undefined) return;
    this.#unexpected = { at: now(), code: code ?? undefined, signal: signal ?? undefined, stderr };
  }
}
