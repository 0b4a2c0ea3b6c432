import { isRsError } from '@rs/core';
import type { BatchedDriver } from '@rs/runtime';
import type { TaskOutputs } from '../deliver/task-outputs.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { InputQueue } from './input-queue.ts';
import type { TaskEnd } from './runner.ts';
import type { ReadAhead } from './read-ahead.ts';
import type { TaskCommits } from './task-commits.ts';
import type { TaskMirror } from './task-mirror.ts';
import type { TaskWork } from './task-work.ts';

export interface RunningTaskParts {
  readonly store: TaskStore;
  readonly driver: BatchedDriver;
  readonly queue: InputQueue;
  readonly outputs: TaskOutputs;
  readonly work: TaskWork;
  readonly commits: TaskCommits;
  readonly mirror: TaskMirror;
  /** Waits, unless the task is lost first. */
  readonly patienceWith: (work: Promise<unknown>, ms: number) => Promise<void>;
  readonly ahead: ReadAhead;
  /** Ends the listening for new entries. */
  readonly stopListening: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Milliseconds that calls of sinks which are under way may take when the task is given back. */
const LAST_CALLS = 500;

/** A task that was acquired and opened: its state is known, and its parts are there. */
export class RunningTask {
  readonly parts: RunningTaskParts;

  constructor(parts: RunningTaskParts) {
    this.parts = parts;
  }

  /** Works until there is a reason not to, then puts everything in order that this end leaves in order. Rejected by bugs alone. */
  async run(): Promise<TaskEnd> {
    const { work, driver, queue, outputs, mirror, ahead, stopListening } = this.parts;
    const endReading = ahead.add(queue);
    try {
      outputs.start();
      mirror.start();
      const end = await work.run();
      return end.type === 'lost' ? this.#lost(end) : await this.#leave(end);
    } finally {
      endReading();
      stopListening();
      driver.close();
    }
  }

  /** The lease is lost: what is under way can have no effect any more. */
  abandon(): void {
    this.parts.driver.close();
  }

  /** The work is to end now: the batch under way is undone, unless it is through. */
  undo(): void {
    if (!this.parts.work.ended) this.parts.driver.close();
  }

  /**
   * Nothing of it may be written any more. Calls of sinks that are under way end by themselves: others may have the task by now, so to wait
   * for them would keep nothing in order.
   */
  #lost(end: TaskEnd): TaskEnd {
    const { mirror, outputs, driver } = this.parts;
    mirror.stop();
    driver.close();
    void outputs.close();
    return end;
  }

  /**
   * Invariant: the lease is given back last. Until then nobody else works on the task, and whoever comes next finds the cursors of what was
   * delivered.
   */
  async #leave(end: TaskEnd): Promise<TaskEnd> {
    const { store, mirror, outputs, patienceWith } = this.parts;
    // One that hangs must not keep the task from everybody else; what it is at is given to it again.
    await patienceWith(outputs.close(), LAST_CALLS);
    await this.#settle();
    await mirror.close();
    try {
      // Also after a failure: what could not go on was not ended by a record that kills processes.
      await store.release();
    } catch (error) {
      this.parts.onTrouble(error); // It ends by itself.
    }
    return end;
  }

  /** Waits for the commit under way and writes the last cursors. Where that does not work, the next owner does it again. */
  async #settle(): Promise<void> {
    const { driver, outputs, commits, onTrouble } = this.parts;
    try {
      await driver.flush();
      if (outputs.moved) await commits.touch();
    } catch (error) {
      // A batch that was undone has closed the driver.
      if (!isRsError(error, 'RS_CLOSED')) onTrouble(error);
    }
  }
}
