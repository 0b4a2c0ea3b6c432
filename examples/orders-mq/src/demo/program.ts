import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { DemoFailure } from './failure.ts';

/** A line that a program has logged. */
export interface LogLine {
  readonly message: string;
  readonly [fact: string]: unknown;
}

export interface ProgramOptions {
  readonly name: string;
  /** Its file in `src`. */
  readonly file: 'producer.ts' | 'worker.ts';
  /** Variables of its environment, besides those of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: LogLine) => void;
}

const SOURCES = join(import.meta.dirname, '..');
const TETHER = pathToFileURL(join(import.meta.dirname, 'tether.ts')).href;
/** What workers may take to close is half of it. */
const STOP_TIMEOUT_MS = 10_000;

/** One process of the demo. It ends with this one, however this one ends. */
export class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #end: Promise<unknown>;
  #ended = false;
  /** Signals it was sent, and may end with. */
  readonly #signals = new Set<NodeJS.Signals>();
  #stderr = '';

  constructor({ name, file, env, onLine }: ProgramOptions) {
    this.name = name;
    const child = fork(join(SOURCES, file), {
      execArgv: [...process.execArgv, '--import', TETHER],
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#end = once(child, 'close').then(() => (this.#ended = true));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    if (child.stdout === null) return;
    createInterface(child.stdout).on('line', (text) => {
      const line = parseLine(text);
      if (line !== undefined) onLine(line);
    });
  }

  /** Whether it has done all it had to do. */
  get finished(): boolean {
    return this.#ended && this.#child.exitCode === 0;
  }

  /** @throws DemoFailure when it has ended with an error, or by a signal that is not ours */
  check(): void {
    const { exitCode, signalCode } = this.#child;
    if (!this.#ended || this.finished) return;
    if (signalCode !== null && this.#signals.has(signalCode)) return;
    const how = signalCode === null ? `exit code ${exitCode}` : signalCode;
    throw new DemoFailure(`${this.name} has ended with ${how}\n${this.#stderr.trimEnd()}`.trimEnd());
  }

  /** As a crash: it can do nothing about it. */
  async kill(): Promise<void> {
    this.#signals.add('SIGKILL');
    this.#child.kill('SIGKILL');
    await this.#end;
  }

  /** Asks it to end, and kills it when it does not. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    // One that has only just been started does not listen yet.
    this.#signals.add('SIGTERM');
    this.#child.kill('SIGTERM');
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.#end;
    clearTimeout(patience);
  }
}

/** @returns `undefined` for anything else: the last line of a program that was killed may have no end */
function parseLine(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
