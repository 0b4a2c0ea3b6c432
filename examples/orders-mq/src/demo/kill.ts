import { systemClock } from '@rs/core';
import type { Crew } from './crew.ts';
import type { Program } from './program.ts';

/** A worker that was killed, and what it had then. */
export interface Kill {
  readonly worker: string;
  /** Orders that were handled by then, by all workers. */
  readonly handled: number;
  readonly partitions: readonly number[];
  /** In epoch milliseconds. */
  readonly at: number;
}

/** Who went on with the partitions of a worker that was killed. */
export interface Takeover {
  readonly heirs: readonly string[];
  /** Until the last partition was taken over, in milliseconds. */
  readonly after: number;
}

/** Kills the worker that has most to lose. */
export async function killOne(crew: Crew, workers: readonly Program[], handled: number): Promise<Kill> {
  const [victim] = [...workers].sort((a, b) => crew.partitionsOf(b).length - crew.partitionsOf(a).length);
  if (victim === undefined) throw new RangeError('no worker to kill');
  const partitions = crew.partitionsOf(victim);
  const at = systemClock.now();
  await victim.kill();
  return { worker: victim.name, handled, partitions, at };
}

/** @returns `undefined` when nothing was taken over: everything was handled before */
export function takeoverOf({ at, partitions, worker }: Kill, { acquisitions }: Crew): Takeover | undefined {
  const first = partitions.flatMap((partition) => {
    const taken = acquisitions.find(
      (each) => each.partition === partition && each.worker !== worker && each.at > at,
    );
    return taken === undefined ? [] : [taken];
  });
  if (first.length === 0) return undefined;
  return {
    heirs: [...new Set(first.map((each) => each.worker))].sort(),
    after: Math.max(...first.map((each) => each.at)) - at,
  };
}
