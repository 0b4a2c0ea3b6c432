import type { MaybePromise } from '../maybe-promise.ts';
import type { Window } from '../window/window.ts';
import type { Collector, WindowContext } from './context.ts';

/**
 * Emits any number of results for a window of two streams. `lefts` are the window's elements of the stream that `cogroup`
 * was called on, `rights` those of the other one, each in the order of their arrival; one of the two may be empty.
 */
export type CogroupFunction<K, A, B, OUT> = (
  key: K,
  window: Window,
  lefts: readonly A[],
  rights: readonly B[],
  out: Collector<OUT>,
) => MaybePromise<void>;

/** A {@link CogroupFunction} with a context: watermark, processing time, side outputs. */
export type ProcessCogroupFunction<K, A, B, OUT> = (
  key: K,
  window: Window,
  lefts: readonly A[],
  rights: readonly B[],
  ctx: WindowContext<K>,
  out: Collector<OUT>,
) => MaybePromise<void>;
