import type { Timers } from '@rs/mq';
import type { LostMessages } from '../store/lost-messages.ts';
import type { ReaderPosition, TaskStore } from '../store/task-store.ts';
import type { InputQueue } from './input-queue.ts';
import { LossWatch } from './loss-watch.ts';
import { type MirroredPosition, TaskMirror } from './task-mirror.ts';

export interface OpenMirrorOptions {
  readonly store: TaskStore;
  readonly queue: InputQueue;
  /** Whether the task says that it has an input before the first record of it. */
  readonly announces: boolean;
  readonly timers: Timers;
  /** Id of the last entry that was read; `undefined` while a read is under way. */
  readonly readUpTo: () => string | undefined;
  readonly onLost: (lost: LostMessages) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Milliseconds that the group of Redis may be behind the task. */
const DELAY = 500;
/** Milliseconds after which its lag is looked at again although the task has not moved. */
const REFRESH = 5_000;

/** The mirror of a task, which finds lost messages on its way. */
export function openMirror(options: OpenMirrorOptions, stored: MirroredPosition): TaskMirror {
  const { store, queue, announces, timers, readUpTo, onLost, onTrouble } = options;
  const entriesIn = (count: number, ended: boolean): number =>
    Math.max(0, count - (announces ? 1 : 0) - (ended ? 1 : 0));
  const reader = (): ReaderPosition | undefined => {
    const at = readUpTo();
    if (at === undefined) return undefined;
    return { at, read: entriesIn(queue.base, queue.position.ended) + queue.entriesFrom(queue.base) };
  };
  const losses = new LossWatch(onLost);
  return new TaskMirror(
    {
      timers,
      delay: DELAY,
      refresh: REFRESH,
      move: ({ offset, count, ended }) =>
        losses.move((told) => store.mirror({ offset, count: entriesIn(count, ended) }, reader(), told)),
      onTrouble,
    },
    stored,
  );
}
