import type { AggregatingStateDescriptor, ReducingStateDescriptor } from '../state/accumulating.ts';
import type { StateDescriptor, StateOf, ValueStateDescriptor } from '../state/descriptor.ts';
import type { Window } from './window.ts';

/** What happens to a window after its trigger was asked. */
export type TriggerResult = 'CONTINUE' | 'FIRE' | 'FIRE_AND_PURGE' | 'PURGE';

/** States that sessions can carry over when they merge: those with one stored value. */
export type MergeableStateDescriptor<V> =
  ValueStateDescriptor<V> | ReducingStateDescriptor<V> | AggregatingStateDescriptor<any, V, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- variance: any such state fits

/** What a trigger can see and do; always about one key and one window. */
export interface TriggerContext {
  currentWatermark(): number;
  currentProcessingTime(): number;
  /**
   * When the window closes: `end − 1`, or `end − 1 + lateness` where late data postpones the only firing.
   */
  readonly closingTime: number;
  /** Asks for `onEventTime` at `timestamp`; asking twice for one time is the same as asking once. */
  registerEventTimeTimer(timestamp: number): void;
  registerProcessingTimeTimer(timestamp: number): void;
  deleteEventTimeTimer(timestamp: number): void;
  deleteProcessingTimeTimer(timestamp: number): void;
  /** State of this trigger for this key and window. The descriptor must be in the trigger's `states`. */
  state<D extends StateDescriptor>(descriptor: D): StateOf<D>;
  /**
   * For `onMerge` only: joins the values which the absorbed windows have stored for `descriptor` (of an aggregating state:
   * the accumulators) and stores the result for the merged window. `combine` gets two values at a time, in the order of
   * the windows' starts; a window without a stored value is left out, and when none has one nothing is stored. A state
   * that is not joined is lost.
   *
   * @throws RsError `RS_UNSUPPORTED` outside `onMerge` and for a collection, `RS_STATE_UNDECLARED` when it is not in the
   *   trigger's `states`
   */
  mergeState<V>(
    descriptor: MergeableStateDescriptor<V>,
    combine: (a: NonNullable<V>, b: NonNullable<V>) => NonNullable<V>,
  ): void;
}

/**
 * Decides when a window's contents are emitted. A trigger is stateless: one object serves all keys and windows;
 * what it must remember lives in `ctx.state`, and so survives crashes.
 */
export interface Trigger<T> {
  /** Called after the element was added to the window. */
  onElement(element: T, timestamp: number, window: Window, ctx: TriggerContext): TriggerResult;
  /** Called when a registered event-time timer is due. */
  onEventTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult;
  /** Called when a registered processing-time timer is due. */
  onProcessingTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult;
  /**
   * Called when `merged` has replaced the `absorbed` windows, which are in the order of their starts: a single one when
   * a session only grew. Required for merging windows such as sessions. `ctx` is about `merged`. The timers of the
   * absorbed windows are gone: register those that `merged` needs, and carry states over with `ctx.mergeState`.
   * `onElement` for the element that caused the merge follows at once.
   */
  onMerge?(merged: Window, absorbed: readonly Window[], ctx: TriggerContext): void;
  /** Called when the window is gone; timers and states of the window are removed by the engine. */
  clear?(window: Window, ctx: TriggerContext): void;
  /** The states that `ctx.state` may be asked for: any but large maps, since a trigger cannot wait. */
  readonly states?: readonly StateDescriptor[];
}
