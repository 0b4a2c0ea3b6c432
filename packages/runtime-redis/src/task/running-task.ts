import type { BatchedDriver } from '@rs/runtime';
import type { TaskOutputs } from '../deliver/task-outputs.ts';
import type { TaskStore } from '../store/task-store.ts';
import type { InputQueue } from './input-queue.ts';
import type { TaskEnd } from './runner.ts';
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
  /** Late records by operator. */
  readonly late: () => Readonly<Record<string, number>>;
  /** Ends the listening for new entries. */
  readonly stopListening: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** A task that was acquired and opened: its state is known, and its parts are there. */
export class RunningTask {
  readonly parts: RunningTaskParts;

  constructor(parts: RunningTaskParts) {
    this.parts = parts;
  }

  /** Works until there is a reason not to, then puts everything in order that this end leaves in order. Rejected by bugs alone. */
  async run(): Promise<TaskEnd> {
    const { work, driver, outputs, stopListening } = this.parts;
    try {
      outputs.start();
      const end = await work.run();
      return end.type === 'lost' ? await this.#lost(end) : await this.#leave(end);
    } finally {
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

  /** Nothing of it may be written any more, and calls of sinks that are under way end by themselves. */
  async #lost(end: TaskEnd): Promise<TaskEnd> {
    const { mirror, outputs, driver } = this.parts;
    mirror.stop();
    driver.close();
    await outputs.close();
    return end;
  }

  /**
   * Invariant: the lease is given back last. Until then nobody else works on the task, so a sink is never served twice at the same
   * time, and whoever comes next finds the cursors of what was delivered.
   */
  async #leave(end: TaskEnd): Promise<TaskEnd> {
    const { store, mirror, outputs } = this.parts;
    await outputs.close();
    await this.#settle();
    await mirror.close();
    try {
      // Also after a failure: what could not go on was not ended by a record that kills processes.
      await store.release(true);
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
      onTrouble(error);
    }
  }
}

/** The smallest of some watermarks; −∞ when there are none. */
export function smallest(watermarks: Readonly<Record<string, number>>): number {
  const all = Object.values(watermarks);
  return all.length === 0 ? -Infinity : Math.min(...all);
}
