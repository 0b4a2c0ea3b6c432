import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { Order, ProgramOptions, Told } from './consumer-program.ts';
import { until } from './until.ts';

const PROGRAM = join(__dirname, 'consumer-program.ts');

/** A consumer in a process of its own. */
export class ConsumerProcess {
  readonly told: Told[] = [];
  readonly #child: ChildProcess;

  constructor(options: ProgramOptions, nodeOptions: readonly string[] = []) {
    this.#child = fork(PROGRAM, [JSON.stringify(options)], {
      execArgv: [...nodeOptions, '--conditions=@rs/source', '--import', 'tsx'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message) => this.told.push(message as Told));
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  /** How often it told that. */
  count(type: Told['type'], value?: unknown): number {
    return this.told.filter(
      (each) => each.type === type && (value === undefined || ('value' in each && each.value === value)),
    ).length;
  }

  async heard(type: Told['type'], value?: unknown, timeout = 20_000): Promise<void> {
    const what = value === undefined ? type : `${type} ${JSON.stringify(value)}`;
    const toldOrEnded = () => this.count(type, value) > 0 || this.ended;
    await until(`a consumer to tell '${what}'`, toldOrEnded, timeout);
    if (this.count(type, value) === 0) throw new Error(`the process ended before it told '${what}'`);
  }

  /** Waits for its end. @returns its exit code, `null` when it was killed */
  async gone(): Promise<number | null> {
    await until('the process to end', () => this.ended);
    return this.#child.exitCode;
  }
}

/** Starts such processes; those that run are killed after each test. */
export function useConsumerProcesses(): (
  options: ProgramOptions,
  nodeOptions?: readonly string[],
) => ConsumerProcess {
  const running: ConsumerProcess[] = [];
  afterEach(async () => {
    const all = running.splice(0);
    for (const each of all) each.signal('SIGKILL');
    for (const each of all) await each.gone();
  });
  return (options, nodeOptions) => {
    const started = new ConsumerProcess(options, nodeOptions);
    running.push(started);
    return started;
  };
}
