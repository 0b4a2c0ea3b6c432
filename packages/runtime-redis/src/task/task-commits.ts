import { RsError } from '@rs/core';
import type { DeadReason } from '@rs/mq';
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

/** What became a dead letter, and why. */
export interface GivenUp {
  /** That of the message; a timer has none. */
  readonly id: string | undefined;
  readonly timer?: FailedTimer;
  readonly reason: DeadReason;
  readonly error: unknown;
}

export interface TaskCommitsOptions {
  readonly driver: BatchedDriver;
  readonly backend: Pick<TaskBackend<unknown>, 'add' | 'takeBack'>;
  readonly deadLetters: DeadLetterMaker;
  readonly where: { readonly topic: string; readonly partition: number };
  /** A dead letter is stored. */
  readonly onDead: (dead: GivenUp) => void;
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
    await driver.skip(0);
    await driver.flush();
    this.#recovered = false;
  }

  /** Writes down that a record is about to be processed; a crash before its commit is then known to be with it. */
  async mark(id: string): Promise<void> {
    const { driver } = this.#options;
    await this.#together({ started: id }, () => driver.skip(0));
  }

  async giveUpFailed(entry: LogEntry, error: unknown, attempts: number): Promise<void> {
    const op = this.#options.deadLetters.ofEntry(entry, error, attempts);
    await this.#bury(op, { id: entry.id, reason: 'attempts', error });
  }

  async giveUpCrashing(entry: LogEntry, crashes: number): Promise<void> {
    const error = this.crashError(entry, crashes);
    const op = this.#options.deadLetters.ofEntry(entry, error, crashes);
    await this.#bury(op, { id: entry.id, reason: 'crashed', error });
  }

  async giveUpUnreadable(entry: LogEntry, error: unknown): Promise<void> {
    const op = this.#options.deadLetters.ofUnreadable(entry, error);
    await this.#bury(op, { id: entry.id, reason: 'undecodable', error });
  }

  async giveUpTimer(timer: FailedTimer, error: unknown, attempts: number): Promise<void> {
    const { driver, backend, deadLetters, onDead } = this.#options;
    const ops = [deadLetters.ofTimer(timer, error, attempts)];
    const stored = await this.#together({ ops }, async () => {
      const found = await driver.discardTimer(timer);
      if (!found) backend.takeBack();
      return found;
    });
    if (stored) onDead({ id: undefined, timer, reason: 'attempts', error });
  }

  /** The error of a record under which the process has died again and again. */
  crashError({ id }: LogEntry, crashes: number): RsError {
    const { topic, partition } = this.#options.where;
    return new RsError(
      'RS_RECORD_CRASHES',
      `message ${id} in partition ${partition} of topic '${topic}' was being processed when the process ended, the last of ${crashes} times in a row; ` +
        'look for what ends it: memory, process.exit, or a native module',
      { details: { topic, partition, id, crashes } },
    );
  }

  async #bury(op: CommitOp, dead: GivenUp): Promise<void> {
    await this.#together({ ops: [op] }, () => this.#options.driver.skip(1));
    this.#options.onDead(dead);
  }

  /** Fulfilled when the commit was answered. */
  async #together<T>(
    additions: Parameters<TaskBackend<unknown>['add']>[0],
    commit: () => Promise<T>,
  ): Promise<T> {
    const { driver, backend } = this.#options;
    await driver.flush();
    backend.add(additions);
    let result: T;
    try {
      result = await commit();
    } catch (error) {
      backend.takeBack();
      throw error;
    }
    await driver.flush();
    return result;
  }
}
