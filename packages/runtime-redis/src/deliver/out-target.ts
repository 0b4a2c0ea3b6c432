import type { OutEntry } from './out-entry.ts';

/** Where the results of one sink of a task go. */
export interface OutTarget {
  /**
   * Delivers entries in their order. What is not done when it ends, also with an error, is given again.
   *
   * @param done so many more of the entries are delivered
   * @param stopped true once nothing more should be begun
   * @throws what went wrong
   */
  deliver(entries: readonly OutEntry[], done: (count: number) => void, stopped: () => boolean): Promise<void>;
}
