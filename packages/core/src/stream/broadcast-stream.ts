import type {
  BroadcastProcessFunction,
  KeyedBroadcastProcessFunction,
} from '../function/broadcast-process.ts';
import type { MapStateDescriptor } from '../state/descriptor.ts';
import type { DataStream } from './data-stream.ts';
import type { KeyedStates } from './keyed-states.ts';
import type { StatefulOptions } from './options.ts';

declare const RECORD: unique symbol;

/**
 * A stream whose records go to all partitions of the operation that another stream is connected to it by, and which may
 * keep them there in states that all keys see. Made by `stream.broadcast(…)`; give it to `connect` of the other stream.
 */
export interface BroadcastStream<T> {
  /** The states that the functions of this stream may use. */
  readonly descriptors: readonly MapStateDescriptor<unknown, unknown>[];
  /** Carries the type; never set. */
  readonly [RECORD]?: T;
}

/** A stream without keys and a broadcast one. */
export interface BroadcastConnectedStreams<A, B> {
  /**
   * Any number of results per record, with the broadcast states of its partition and side outputs. The states belong to
   * this operation: give it a `uid`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`, `RS_BROADCAST_READ_ONLY` for a change in `processElement`, `RS_STATE_UNDECLARED` for a state
   *   that was not given to `broadcast`, `RS_CONTEXT_CLOSED` for a context or collector used after its call
   */
  process<OUT>(fn: BroadcastProcessFunction<A, B, OUT>, options?: StatefulOptions): DataStream<OUT>;
}

/**
 * A keyed stream and a broadcast one. State that was declared on the keyed stream stays there; declare here what the
 * functions behind need.
 */
export interface KeyedBroadcastConnectedStreams<K, A, B> extends KeyedStates {
  /**
   * As {@link BroadcastConnectedStreams.process}, also with state and timers of the key.
   *
   * @throws RsError as `KeyedStream.process`, and `RS_BROADCAST_READ_ONLY` for a change outside of
   *   `processBroadcastElement`. In that callback, which has no key: `RS_STATE_UNBOUND` for keyed state, `RS_UNSUPPORTED` for
   *   timers
   */
  process<OUT>(fn: KeyedBroadcastProcessFunction<K, A, B, OUT>, options?: StatefulOptions): DataStream<OUT>;
}
