import { jsonCodec, type LatenessMode, type TimeDomain, type Window } from '@rs/core';
import { cleanupTime, closingTime } from '@rs/window';
import type { Cell, Namespace } from '../../state/cell.ts';
import type { ItemFormat, ValueFormat } from '../../state/format.ts';
import type { TimerKind } from '../timed-operator.ts';

/** A timer that a trigger asked for, besides those that every window has. */
export type TriggerTimer = readonly [kind: TimerKind, time: number];

/** What is kept of one window of one key. Exists from the first element until the window's cleanup time. */
export interface Bucket<A> {
  window: Window;
  /** When it fires on time; follows from the window, kept because it is asked for with every element. */
  closing: number;
  /** When it is given up. */
  cleanup: number;
  /** `undefined`: nothing folded, or purged. Windows that keep their elements have these in a state of their own. */
  accumulator: A | undefined;
  /** True when it has contents that were not emitted yet. */
  fresh: boolean;
  /** True when the trigger wants to be asked at the cleanup time. A timer for that exists in any case. */
  asksAtCleanup: boolean;
  timers: readonly TriggerTimer[];
  /** Event time of its newest element; only kept for windows without an end, whose results carry it. */
  latest: number;
}

export type BucketCell<A> = Cell<Bucket<A>>;

const NO_TIMERS: readonly TriggerTimer[] = [];

/** The two times of a window, on the clock that windows end on. */
export class BucketTimes {
  readonly #lateness: number;
  readonly #mode: LatenessMode;

  /** Lateness is a matter of event time; a window of processing time has none. */
  constructor(domain: TimeDomain, lateness: number, mode: LatenessMode) {
    this.#lateness = domain === 'event' ? lateness : 0;
    this.#mode = mode;
  }

  closing({ end }: Window): number {
    return closingTime(end, this.#lateness, this.#mode);
  }

  cleanup({ end }: Window): number {
    return cleanupTime(end, this.#lateness);
  }
}

export function newBucket<A>(window: Window, times: BucketTimes): Bucket<A> {
  return {
    window,
    closing: times.closing(window),
    cleanup: times.cleanup(window),
    accumulator: undefined,
    fresh: false,
    asksAtCleanup: false,
    timers: NO_TIMERS,
    latest: -Infinity,
  };
}

/** The event time of a window's results. */
export function resultTime({ window, latest }: Bucket<unknown>): number {
  return window.end === Infinity ? latest : window.end - 1;
}

/**
 * Stores the accumulator as data and the rest as meta. The usual bucket (fresh contents, a trigger that fires once at the
 * closing time, a window that follows from its namespace) has no meta.
 */
export function bucketFormat<A>(
  item: ItemFormat<A>,
  windowOf: (namespace: Namespace) => Window | undefined,
  times: BucketTimes,
): ValueFormat<Bucket<A>> {
  return {
    layout: 'value',
    version: item.version,
    reads: (version) => item.reads(version),
    check: () => undefined,
    encode: ({ window, closing, cleanup, accumulator, fresh, asksAtCleanup, timers, latest }) => {
      const empty = accumulator === undefined;
      const data = empty ? '' : item.encode(accumulator);
      const firesOnce = fresh && timers.length === 0 && asksAtCleanup === (closing === cleanup);
      if (!empty && firesOnce && windowOf(window.start)?.end === window.end) return { data };
      const meta: BucketMeta = [window.start, window.end, empty, fresh, asksAtCleanup, timers, latest];
      return { data, meta: META.encode(meta) as string };
    },
    decode: ({ data, meta, version }, namespace) => {
      if (meta === undefined) {
        const bucket = newBucket<A>(windowOf(namespace) as Window, times);
        const asksAtCleanup = bucket.closing === bucket.cleanup;
        return { ...bucket, accumulator: item.decode(data, version), fresh: true, asksAtCleanup };
      }
      const [start, end, empty, fresh, asksAtCleanup, timers, latest] = META.decode(meta);
      const accumulator = empty ? undefined : item.decode(data, version);
      return { ...newBucket<A>({ start, end }, times), accumulator, fresh, asksAtCleanup, timers, latest };
    },
  };
}

type BucketMeta = [
  start: number,
  end: number,
  empty: boolean,
  fresh: boolean,
  asksAtCleanup: boolean,
  timers: readonly TriggerTimer[],
  latest: number,
];

/** Bounds may be infinite. */
const META = jsonCodec<BucketMeta>();
