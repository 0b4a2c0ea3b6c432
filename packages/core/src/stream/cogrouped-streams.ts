import type { CogroupFunction, ProcessCogroupFunction } from '../function/cogroup.ts';
import type { OutputTag } from '../output-tag.ts';
import type { Codec } from '../state/codec.ts';
import type { Duration } from '../time/duration.ts';
import type { WindowAssigner } from '../window/assigner.ts';
import type { Evictor } from '../window/evictor.ts';
import type { Trigger } from '../window/trigger.ts';
import type { DataStream } from './data-stream.ts';
import type { LatenessOptions, StatefulOptions } from './options.ts';

/** Two streams with one kind of key, whose windows are processed together. */
export interface CogroupedStreams<K, A, B> {
  /**
   * Cuts both streams of each key into the same windows. Trigger and evictor are the assigner's until they are replaced.
   *
   * @throws RsError as `KeyedStream.window`
   */
  window(assigner: WindowAssigner<A | B>): CogroupedWindows<K, A, B>;
}

export interface CogroupOptions<A, B> extends StatefulOptions {
  /** How elements of the first stream are stored. Default: `jsonCodec()`. */
  readonly leftCodec?: Codec<A>;
  /** How elements of the second stream are stored. Default: `jsonCodec()`. */
  readonly rightCodec?: Codec<B>;
}

/**
 * The windows of two keyed streams: a window holds the elements of both, and fires for each key that has any in it, on
 * either side. When it fires, when elements are late and which timestamp results have is said at `WindowedStream`; time is
 * the minimum of the two streams'.
 *
 * A window keeps all its elements until it is given up. Assigners, triggers and evictors see elements of both sides.
 */
export interface CogroupedWindows<K, A, B> {
  /**
   * Replaces the assigner's default trigger.
   *
   * @throws RsError as `WindowedStream.trigger`
   */
  trigger(trigger: Trigger<A | B>): CogroupedWindows<K, A, B>;
  /**
   * Removes elements of either side when the window fires; a window that is then empty emits nothing. It gets the elements
   * of both sides in the order of their arrival and returns some of them, not copies.
   *
   * @throws RsError as `WindowedStream.evictor`. At run: `RS_INVALID_VALUE` when it returns an element that it was not given
   */
  evictor(evictor: Evictor<A | B>): CogroupedWindows<K, A, B>;
  /**
   * Keeps windows for `duration` after they closed, as `WindowedStream.allowedLateness`.
   *
   * @throws RsError as `WindowedStream.allowedLateness`
   */
  allowedLateness(duration: Duration, options?: LatenessOptions): CogroupedWindows<K, A, B>;
  /**
   * Late records of both sides go to `tag` of the result stream. Without it they are only counted.
   *
   * @throws RsError as `WindowedStream.sideOutputLateData`
   */
  sideOutputLateData(tag: OutputTag<A | B>): CogroupedWindows<K, A, B>;
  /**
   * Hands over the elements of both sides when a window fires; any number of results.
   *
   * @throws RsError as `WindowedStream.apply`
   */
  apply<OUT>(fn: CogroupFunction<K, A, B, OUT>, options?: CogroupOptions<A, B>): DataStream<OUT>;
  /**
   * As {@link apply}, with a context that tells the watermark and processing time and writes to side outputs, which
   * `getSideOutput` of the result reads.
   *
   * @throws RsError as `apply`
   */
  process<OUT>(fn: ProcessCogroupFunction<K, A, B, OUT>, options?: CogroupOptions<A, B>): DataStream<OUT>;
}
