import type { RsError, TriggerResult, Window } from '@rs/core';
import { isWindowLate } from '@rs/window';
import type { Namespace } from '../../state/cell.ts';
import type { ItemFormat } from '../../state/format.ts';
import type { StateSlot } from '../../state/slot.ts';
import type { Timer } from '../../time/timer-entry.ts';
import type { Gate } from '../gate.ts';
import type { ComingRecord, Prefetcher, Want } from '../keyed-group.ts';
import type { OperatorInstance } from '../operator.ts';
import type { Outputs } from '../outputs.ts';
import type { ScopeHost } from '../record-scope.ts';
import { assertSync } from '../sync-only.ts';
import { TimedOperator, type TimerKind } from '../timed-operator.ts';
import { type Bucket, type BucketCell, bucketFormat, BucketTimes, newBucket, resultTime } from './bucket.ts';
import type { WindowContents } from './contents.ts';
import { noTriggerResult } from './trigger-result.ts';
import { type TriggerHost, TriggerScope } from './trigger-scope.ts';
import type { WindowSpec } from './window-spec.ts';

/**
 * A processing-time window takes elements up to and including its last millisecond, so that one must be over before the
 * window closes.
 */
const PROCESSING_DELAY = 1;

/**
 * Everything of windows that does not depend on how elements find theirs: buckets, triggers, firing, lateness, cleanup.
 *
 * A bucket lives from its first element until its cleanup time, `end − 1 + lateness`; a timer for that always exists.
 * A trigger decides on firings in between.
 */
export abstract class WindowOperator<T, A>
  extends TimedOperator<T>
  implements OperatorInstance, Prefetcher, TriggerHost, ScopeHost
{
  readonly inputs = [this];
  readonly prefetcher: Prefetcher = this;
  readonly queues = [this.timers];
  protected readonly buckets: StateSlot<Bucket<A>>;
  protected readonly spec: WindowSpec<T>;
  protected readonly triggerScope: TriggerScope;
  protected contents: WindowContents<T, A>;
  /** The clock that the windows end on. */
  protected readonly domain: TimerKind;
  protected readonly times: BucketTimes;
  readonly #outputs: Outputs;

  constructor(
    gate: Gate,
    outputs: Outputs,
    spec: WindowSpec<T>,
    accumulator: ItemFormat<A>,
    contents: (operator: WindowOperator<T, A>) => WindowContents<T, A>,
  ) {
    super(gate, outputs.main, outputs.control, PROCESSING_DELAY);
    this.spec = spec;
    this.domain = spec.assigner.timeDomain;
    this.#outputs = outputs;
    this.times = new BucketTimes(this.domain, spec.lateness, spec.latenessMode);
    const format = bucketFormat(accumulator, (namespace) => this.windowOf(namespace), this.times);
    this.buckets = spec.store.slot({ operator: spec.operatorId, state: 'windows', format });
    this.triggerScope = new TriggerScope(this, spec.store, spec.operatorId, spec.trigger);
    this.contents = contents(this);
  }

  /** The window that a namespace means, where that is all there is to it. */
  protected abstract windowOf(namespace: Namespace): Window | undefined;
  /** Gives an element to its windows. Returns false when it was late for all of them. */
  protected abstract place(value: T, timestamp: number, key: unknown): boolean;
  /** Called when a window is gone. */
  protected abstract forget(cell: BucketCell<A>): void;
  abstract wantRecord(record: ComingRecord, want: Want): void;
  abstract parseNamespace(text: string): Namespace;

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    this.followRecord(timestamp);
    if (this.hasDue()) this.#fireThenPlace(value, timestamp, key);
    else this.#take(value, timestamp, key);
  }

  wantTimers(watermark: number, processingTime: number, want: Want): void {
    const { event, processing, dueAt } = this.timers;
    for (const timer of event.due(Math.max(watermark, dueAt('event')))) this.wantTimer(timer, want);
    for (const timer of processing.due(Math.max(processingTime, dueAt('processing'))))
      this.wantTimer(timer, want);
  }

  wantTimer({ key, namespace }: Timer, want: Want): void {
    this.wantWindow(key, namespace, want);
  }

  /** With the timer at its cleanup time a window goes unfired, without asking the trigger: that may be what fails. */
  discardTimer(kind: TimerKind, { time, key, namespace }: Timer): void {
    this.timers[kind].delete(time, key, namespace);
    const cell = this.buckets.present(key, namespace);
    if (cell?.value === undefined) return;
    if (this.#isCleanup(cell, kind, time)) this.#erase(cell);
    else this.#forgetTimer(cell, kind, time);
  }

  /** The time that decides on a coming record's windows. */
  protected timeOf({ timestamp, latestTimestamp }: ComingRecord): number {
    if (this.domain === 'event') return timestamp;
    const now = this.currentProcessingTime();
    return this.gate.task.options.processingTime === 'clock' ? now : Math.max(now, latestTimestamp);
  }

  protected wantWindow(key: unknown, namespace: Namespace, want: Want): void {
    want(this.buckets, key, namespace);
    this.contents.want(key, namespace, want);
    this.triggerScope.want(key, namespace, want);
  }

  protected isLate(end: number): boolean {
    return this.domain === 'event' && isWindowLate(this.currentWatermark, end, this.spec.lateness);
  }

  /** The bucket of a window, made when there is none. */
  protected bucketOf(key: unknown, namespace: Namespace, window: Window | undefined): BucketCell<A> {
    const present = this.buckets.present(key, namespace);
    if (present !== undefined) return present;
    const cell = this.buckets.obtain(key, namespace);
    this.buckets.touch(cell);
    cell.value = newBucket<A>(window ?? (this.windowOf(namespace) as Window), this.times);
    this.addCleanupTimer(cell);
    return cell;
  }

  /** Adds an element to a window and asks the trigger. */
  protected addTo(cell: BucketCell<A>, value: T, timestamp: number): PromiseLike<void> | undefined {
    const bucket = cell.value as Bucket<A>;
    let result;
    try {
      this.buckets.touch(cell);
      this.contents.add(cell, value, timestamp);
      if (this.buckets.replaced(cell)) return undefined;
      bucket.fresh = true;
      if (timestamp > bucket.latest && bucket.window.end === Infinity) bucket.latest = timestamp;
      result = this.spec.trigger.onElement(value, timestamp, bucket.window, this.triggerScope.about(cell));
      this.triggerScope.about(undefined);
    } catch (error) {
      throw this.triggerFailed(error);
    }
    return result === 'CONTINUE' ? undefined : this.act(result, cell);
  }

  protected act(result: TriggerResult, cell: BucketCell<A>): PromiseLike<void> | undefined {
    if (this.buckets.replaced(cell)) return undefined;
    switch (result) {
      case 'CONTINUE':
        return undefined;
      case 'FIRE':
        return this.#fire(cell);
      case 'FIRE_AND_PURGE':
        return this.#then(this.#fire(cell), () => this.#purge(cell));
      case 'PURGE':
        this.#purge(cell);
        return undefined;
      default:
        throw this.gate.failed(noTriggerResult(result, this.operator));
    }
  }

  protected onTimer(kind: TimerKind, { time, key, namespace }: Timer): PromiseLike<void> | undefined {
    const cell = this.buckets.present(key, namespace);
    if (cell?.value === undefined) return undefined;
    const closes = this.#isCleanup(cell, kind, time);
    const asked = !closes || cell.value.asksAtCleanup;
    const waiting = asked ? this.act(this.#askTrigger(kind, time, cell), cell) : undefined;
    return closes ? this.#then(waiting, () => this.#close(cell)) : waiting;
  }

  /** Removes the timers of a window whose bounds are about to change. */
  protected removeTimers(cell: BucketCell<A>): void {
    this.timers[this.domain].delete((cell.value as Bucket<A>).cleanup, cell.key, cell.namespace);
    this.#removeTriggerTimers(cell);
  }

  #removeTriggerTimers(cell: BucketCell<A>): void {
    const { key, namespace } = cell;
    const bucket = cell.value as Bucket<A>;
    if (bucket.closing !== bucket.cleanup) this.timers.event.delete(bucket.closing, key, namespace);
    for (const [kind, time] of bucket.timers) this.timers[kind].delete(time, key, namespace);
    bucket.timers = [];
    bucket.asksAtCleanup = false;
  }

  #isCleanup(cell: BucketCell<A>, kind: TimerKind, time: number): boolean {
    return kind === this.domain && time === (cell.value as Bucket<A>).cleanup;
  }

  /** A context that outlives a call that threw must not be of use to anybody. */
  protected triggerFailed(error: unknown): RsError {
    this.triggerScope.about(undefined);
    return this.gate.failed(error);
  }

  /** Sets the timer that every window has. */
  protected addCleanupTimer(cell: BucketCell<A>): void {
    this.timers[this.domain].add((cell.value as Bucket<A>).cleanup, cell.key, cell.namespace);
  }

  // What the trigger can do.

  registerClosingTimer(cell: BucketCell<A>): void {
    const { closing, cleanup } = cell.value as Bucket<A>;
    // Apart from the cleanup time, it is removed with the window and need not be noted.
    if (this.domain === 'event' && closing !== cleanup)
      this.register('event', closing, cell.key, cell.namespace);
    else this.registerTriggerTimer(cell, 'event', closing);
  }

  registerTriggerTimer(cell: BucketCell<A>, kind: TimerKind, time: number): void {
    if (this.#isCleanup(cell, kind, time)) return this.#askAtCleanup(cell, true);
    const bucket = cell.value as Bucket<A>;
    this.register(kind, time, cell.key, cell.namespace);
    if (bucket.timers.some((timer) => timer[0] === kind && timer[1] === time)) return;
    this.buckets.touch(cell);
    bucket.timers = [...bucket.timers, [kind, time]];
  }

  deleteTriggerTimer(cell: BucketCell<A>, kind: TimerKind, time: number): void {
    if (this.#isCleanup(cell, kind, time)) return this.#askAtCleanup(cell, false);
    if (this.timers[kind].delete(time, cell.key, cell.namespace)) this.#forgetTimer(cell, kind, time);
  }

  /** The timer itself stays: it ends the window. */
  #askAtCleanup(cell: BucketCell<A>, asks: boolean): void {
    const bucket = cell.value as Bucket<A>;
    if (bucket.asksAtCleanup === asks) return;
    this.buckets.touch(cell);
    bucket.asksAtCleanup = asks;
  }

  #forgetTimer(cell: BucketCell<A>, kind: TimerKind, time: number): void {
    const bucket = cell.value as Bucket<A>;
    if (bucket.timers.length === 0) return;
    this.buckets.touch(cell);
    bucket.timers = bucket.timers.filter((timer) => timer[0] !== kind || timer[1] !== time);
  }

  #fireThenPlace(value: T, timestamp: number, key: unknown): void {
    this.fireDue(() => this.#take(value, timestamp, key));
  }

  #take(value: T, timestamp: number, key: unknown): void {
    const time = this.domain === 'event' ? timestamp : this.currentProcessingTime();
    if (!this.place(value, time, key)) this.#late(value, timestamp, key);
    else if (!this.gate.busy && this.hasDue()) this.fireDue(() => undefined);
  }

  #late(element: T, timestamp: number, key: unknown): void {
    const watermark = this.currentWatermark;
    const value: unknown = this.spec.lateValue === undefined ? element : this.spec.lateValue(element);
    this.gate.task.onLate({ operator: this.spec.operatorId, key, value, timestamp, watermark });
    this.spec.lateOutput?.record(value, timestamp, undefined);
  }

  #askTrigger(kind: TimerKind, time: number, cell: BucketCell<A>): TriggerResult {
    const { window } = cell.value as Bucket<A>;
    const { trigger } = this.spec;
    try {
      this.#forgetTimer(cell, kind, time);
      const scope = this.triggerScope.about(cell);
      const result =
        kind === 'event'
          ? trigger.onEventTime(time, window, scope)
          : trigger.onProcessingTime(time, window, scope);
      this.triggerScope.about(undefined);
      return result;
    } catch (error) {
      throw this.triggerFailed(error);
    }
  }

  /** Emits the contents, if there are any. */
  #fire(cell: BucketCell<A>): PromiseLike<void> | undefined {
    if (this.contents.isEmpty(cell)) return undefined;
    this.buckets.touch(cell);
    (cell.value as Bucket<A>).fresh = false;
    try {
      return this.contents.emit(cell);
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  #purge(cell: BucketCell<A>): void {
    if (cell.value === undefined || this.buckets.replaced(cell)) return;
    this.buckets.touch(cell);
    this.contents.clear(cell);
    cell.value.fresh = false;
  }

  /** The window's cleanup time has come. Where the input has ended, contents that no trigger emitted are not lost. */
  #close(cell: BucketCell<A>): PromiseLike<void> | undefined {
    const unfired = this.atEnd && cell.value?.fresh === true && !this.buckets.replaced(cell);
    return this.#then(unfired ? this.#fire(cell) : undefined, () => this.#remove(cell));
  }

  #remove(cell: BucketCell<A>): void {
    if (this.buckets.replaced(cell)) return;
    const { window } = cell.value as Bucket<A>;
    try {
      const cleared: unknown = this.spec.trigger.clear?.(window, this.triggerScope.about(cell));
      assertSync(`${this.operator}: clear of its trigger`, cleared);
      this.triggerScope.about(undefined);
    } catch (error) {
      throw this.triggerFailed(error);
    }
    if (!this.buckets.replaced(cell)) this.#erase(cell);
  }

  /** The cleanup timer is gone already. */
  #erase(cell: BucketCell<A>): void {
    this.triggerScope.clearStates(cell);
    this.#removeTriggerTimers(cell);
    this.contents.clear(cell);
    this.forget(cell);
    this.buckets.remove(cell);
  }

  #then(
    waiting: PromiseLike<void> | undefined,
    next: () => PromiseLike<void> | undefined | void,
  ): PromiseLike<void> | undefined {
    if (waiting === undefined) return next() ?? undefined;
    return this.gate.continue(waiting, next);
  }

  /** Emits a result with the timestamp that results of its window have. */
  emitResult(value: unknown, cell: BucketCell<A>): void {
    this.emit(value, resultTime(cell.value as Bucket<A>));
  }

  emit(value: unknown, timestamp: number): void {
    this.out.record(value, timestamp, undefined);
  }

  emitSide(tag: string, value: unknown, timestamp: number): void {
    this.#outputs.side(tag).record(value, timestamp, undefined);
  }
}
