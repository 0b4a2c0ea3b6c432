import type { InputQueue } from './input-queue.ts';

/** From so many busy tasks on, there is always one with something to process while another one waits for Redis. */
const ENOUGH = 3;

/**
 * How far the tasks of a process read ahead. One or two busy ones read the next batch while the one before is processed. Of three or more each reads
 * once its batch is handed over to its commit: nothing is lost by that, and all that is held in memory has to be moved about by the garbage collector.
 */
export class ReadAhead {
  readonly #queues = new Set<Pick<InputQueue, 'length'>>();

  /** Batches in memory from which on a task reads no further, the one that is processed included. */
  get batches(): number {
    let busy = 0;
    for (const { length } of this.#queues) if (length > 0) busy++;
    return busy < ENOUGH ? 2 : 1;
  }

  /** @returns what takes that back */
  add(queue: Pick<InputQueue, 'length'>): () => void {
    this.#queues.add(queue);
    return () => this.#queues.delete(queue);
  }
}
