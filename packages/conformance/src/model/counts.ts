import type { Message } from '@rs/core';
import type { Outcome } from '../outcome.ts';

/** A window of a key with the number of its elements. */
export interface WindowCount {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  count: number;
}

/** What is asked for every message of a partition, in their order. */
export interface CountModel {
  /** Returns whether the message was late. `watermark` is that behind the message. */
  take(key: string, time: number, watermark: number): boolean;
  /** All windows that have been counted, in any order, once the input has ended. */
  finish(): readonly WindowCount[];
}

/**
 * Counts by key of the message, as `k [0,10) 3` in the sink `out`, by a model for each partition. A watermark is the largest
 * time of the partition − `outOfOrderness` − 1; late messages are those of the operator `windows`.
 */
export function countsBy(
  newModel: () => CountModel,
  outOfOrderness: number,
): (input: readonly Message<unknown>[]) => Outcome {
  return (input) => {
    const out: string[] = [];
    let late = 0;
    for (const partition of new Set(input.map((message) => message.partition))) {
      const model = newModel();
      let largest = -Infinity;
      for (const { key = '', timestamp } of input.filter((message) => message.partition === partition)) {
        largest = Math.max(largest, timestamp);
        if (model.take(key, timestamp, largest - outOfOrderness - 1)) late++;
      }
      out.push(
        ...inOrderOfFiring(model.finish()).map(
          ({ key, start, end, count }) => `${key} [${start},${end}) ${count}`,
        ),
      );
    }
    return { sinks: { out }, late: { windows: late } };
  };
}

/** A window that closes later fires later, and of one time they go by key. */
function inOrderOfFiring(counts: readonly WindowCount[]): WindowCount[] {
  return [...counts].sort((a, b) => a.end - b.end || (a.key < b.key ? -1 : 1));
}
