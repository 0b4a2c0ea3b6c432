import { type ChildProcess, spawn } from 'node:child_process';
import { now } from '../time/now.ts';
import type { Keeper } from './keeper.ts';
import { type CommonConfig, CONFIG_VARIABLE, STOP } from './worker-main.ts';

const ERROR_LENGTH = 4_000;

/** How a process ended that nobody had told to. */
export interface UnexpectedEnd {
  readonly at: number;
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** The last it said. */
  readonly stderr: string;
}

export interface WorkerProcessOptions {
  /** Path of the module that runs in it. */
  readonly program: string;
  readonly config: CommonConfig;
  readonly keeper: Keeper;
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
  #mayDie = false;
  #endedAt: number | undefined;
  #killedAt: number | undefined;
  #unexpected: UnexpectedEnd | undefined;

  constructor({ program, config, keeper }: WorkerProcessOptions) {
    this.incarnation = config.incarnation;
    this.journal = config.journal;
    const child = spawn(process.execPath, ['--conditions=@rs/source', '--import', 'tsx', program], {
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
        if (this.#mayDie && signal === 'SIGKILL') this.#killedAt ??= this.#endedAt;
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
    this.#child.send(STOP);
    await this.exited;
  }

  /** Asks it to do something of its own. One that is about to end may not come to it. */
  tell(request: object): void {
    if (!this.ended && this.#child.connected) this.#child.send(request, () => undefined);
  }

  /** From now on it may kill itself, and that is no end of its own. */
  expectDeath(): void {
    this.#mayDie = true;
  }

  #noteEnd(code: number | null, signal: string | null, stderr: string): void {
    if (this.#killedAt !== undefined) return;
    this.#unexpected = { at: now(), code: code ?? undefined, signal: signal ?? undefined, stderr };
  }
}
