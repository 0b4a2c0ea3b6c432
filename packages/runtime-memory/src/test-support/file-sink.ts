import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TwoPhaseCommitSink } from '@rs/core';

/** Writes lines to a file per transaction, whose name says how far it is: `open`, `prepared` or `done`. */
export class FileSink implements TwoPhaseCommitSink<string, { readonly name: string }> {
  readonly #directory: string;
  readonly #step: (call: string) => void;

  /** @param step called before and after each effect, with the name of the call */
  constructor(directory: string, step: (call: string) => void = () => undefined) {
    this.#directory = directory;
    this.#step = step;
  }

  open(): void {
    mkdirSync(this.#directory, { recursive: true });
  }

  beginTxn(): { readonly name: string } {
    const numbers = readdirSync(this.#directory).map((file) => Number(file.split('.')[0]));
    return { name: String(Math.max(0, ...numbers) + 1) };
  }

  invoke(line: string, txn: { readonly name: string }): void {
    appendFileSync(this.#path(txn, 'open'), `${line}\n`);
  }

  preCommit(txn: { readonly name: string }): void {
    this.#move(txn, 'open', 'prepared');
  }

  commit(txn: { readonly name: string }): void {
    this.#move(txn, 'prepared', 'done');
  }

  recoverAndCommit(txn: { readonly name: string }): void {
    if (!existsSync(this.#path(txn, 'done'))) this.#move(txn, 'prepared', 'done');
  }

  recoverAndAbort(txn: { readonly name: string }): void {
    for (const state of ['open', 'prepared']) rmSync(this.#path(txn, state), { force: true });
  }

  /** What is left of a process that was killed, and in no checkpoint. */
  onCheckpointRestore(): void {
    for (const file of readdirSync(this.#directory))
      if (!file.endsWith('.done')) rmSync(join(this.#directory, file));
  }

  /** The lines that everybody can see, in the order of their transactions. */
  static lines(directory: string): string[] {
    const done = readdirSync(directory).filter((file) => file.endsWith('.done'));
    const inOrder = done.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    return inOrder.flatMap((file) => readFileSync(join(directory, file), 'utf8').trimEnd().split('\n'));
  }

  #move(txn: { readonly name: string }, from: string, to: string): void {
    this.#step(`before ${to}`);
    renameSync(this.#path(txn, from), this.#path(txn, to));
    this.#step(`after ${to}`);
  }

  #path({ name }: { readonly name: string }, state: string): string {
    return join(this.#directory, `${name}.${state}`);
  }
}
