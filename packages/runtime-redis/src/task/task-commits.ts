import { RsError } from '@rs/core';
import type { BatchedDriver, FailedTimer } from '@rs/runtime';
import type { CommitOp } from '../store/commit-op.ts';
import type { LogEntry } from './log-entry.ts';
import type { TaskBackend } from './task-backend.ts';

/** Makes dead letters of what is given up. */
export interface DeadLetterMaker {
  ofEntry(entry: LogEntry, error: unknown, attempts: number): CommitOp;
  ofUnreadable(entry: LogEntry, error: unknown): CommitOp;
  ofTimer(timer: FailedTimer, error: unknown, attempts: number): CommitOp;
}

export interface TaskCommitsOptions {
  readonly driver: BatchedDriver;
  readonly backend: Pick<TaskBackend<unknown>, 'add' | 'takeBack'>;
  readonly deadLetters: DeadLetterMaker;
  readonly where: { readonly topic: string; readonly partition: number };
  /** A timer has no id. */
  readonly onDead: (id: string | undefined, error: unknown) => void;
}

/**
 * The commits that a task makes besides those of its batches: marks, records that are given up, cursors of sinks.
 *
 * Invariant: a record leaves the input in the commit that makes it a dead letter.
 */
export class TaskCommits {
  readonly #options: TaskCommitsOptions;
  #recovered = false;

  constructor(options: TaskCommitsOptions) {
    this.#options = options;
  }

  /** True when something is to be written that no batch need wait for. */
  get pending(): boolean {
    return this.#recovered;
  }

  /** The crashes before are dealt with; the next commit says so. */
  recovered(): void {
    this.#recovered = true;
    this.#options.backend.add({ recovered: true });
  }

  /** Writes what is pending, and the cursors of sinks. */
  async touch(): Promise<void> {
    const { driver } = this.#options;
    this.#recovered = false;
    await driver.skip(0);
    await driver.flush();
  }

  /** Writes down that a record is about to be processed; a crash before its commit is then known to be with it. */
  async mark(id: string): Promise<void> {
    const { driver, backend } = this.#options;
    await driver.flush();
    backend.add({ started: id });
    await driver.skip(0);
    await driver.flush();
  }

  async giveUpFailed(entry: LogEntry, error: unknown, attempts: number): Promise<void> {
    await this.#bury(entry, this.#options.deadLetters.ofEntry(entry, error, attempts), error);
  }

  async giveUpCrashing(entry: LogEntry, crashes: number): Promise<void> {
    const error = this.crashError(entry, crashes);
    await this.#bury(entry, this.#options.deadLetters.ofEntry(entry, error, crashes), error);
  }

  async giveUpUnreadable(entry: LogEntry, error: unknown): Promise<void> {
    await this.#bury(entry, this.#options.deadLetters.ofUnreadable(entry, error), error);
  }

  async giveUpTimer(timer: FailedTimer, error: unknown, attempts: number): Promise<void> {
    const { driver, backend, deadLetters, onDead } = this.#options;
    await this.#together(deadLetters.ofTimer(timer, error, attempts), async () => {
      if (await driver.discardTimer(timer)) onDead(undefined, error);
      else backend.takeBack();
    });
  }

  /** The error of a record under which the process has died again and again. */
  crashError({ id }: LogEntry, crashes: number): RsError {
    const { topic, partition } = this.#options.where;
    return new RsError(
      'RS_RECORD_CRASHES',
      `message ${id} in partition ${partition} of topic '${topic}' was being processed each of the ${crashes} times that the process ended; ` +
        'look for what ends it: memory, process.exit, or a native module',
      { details: { topic, partition, id, crashes } },
    );
  }

  async #bury(entry: LogEntry, op: CommitOp, error: unknown): Promise<void> {
    await this.#together(op, async () => {
      await this.#options.driver.skip(1);
      this.#options.onDead(entry.id, error);
    });
  }

  async #together(op: CommitOp, commit: () => Promise<void>): Promise<void> {
    const { driver, backend } = this.#options;
    await driver.flush();
    backend.add({ ops: [op] });
    try {
      await commit();
    } catch (error) {
      backend.takeBack();
      throw error;
    }
  }
}
