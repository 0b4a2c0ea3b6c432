import { RsError } from '@rs/core';
import type { DueTimer, Timer } from '../time/timer-entry.ts';
import { TimerQueue } from '../time/timer-queue.ts';
import type { Gate } from './gate.ts';
import type { TimerQueues } from './keyed-group.ts';
import type { OperatorMeta } from './operator.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';
import type { StepwiseTime } from './stepwise-time.ts';

export type TimerKind = 'event' | 'processing';

/** What is done while a timer fires is on its account, for drivers that keep places. */
export interface FiringTimer {
  readonly operator: object;
  readonly kind: TimerKind;
  readonly timer: Timer;
}

interface Fired {
  /** What the operator must wait for. */
  readonly waiting: PromiseLike<unknown> | undefined;
  /** What the current item was on account of before. */
  readonly cause: unknown;
}

/** Timers in a row of which each registered the next one when it was due already, before it is taken for an endless loop. */
const MAX_TIMER_CHAIN = 1_000_000;

/**
 * An operator with a watermark, a processing time and timers. Timers fire one after the other, processing time first,
 * each before the record or watermark that made it due goes on.
 */
export abstract class TimedOperator<T> implements Receiver<T> {
  readonly timers: TimerQueues;
  protected readonly gate: Gate;
  /** Receives records. */
  protected readonly out: AnyReceiver;
  /** Receives watermarks, status and end: the main output and all side outputs. */
  readonly #control: AnyReceiver;
  readonly #target: AnyReceiver;
  protected currentWatermark = -Infinity;
  /** Simulated or last seen processing time. */
  #processingTime = -Infinity;
  /** Time of the processing-time timer that is firing; callbacks see it as the current time. */
  #firingTime: number | undefined;
  #draining = false;
  /** Depth of the timer that is firing. */
  #firingDepth: number | undefined;
  readonly #simulated: boolean;
  readonly #processingDelay: number;

  /** @param processingDelay milliseconds by which the clock must have passed a processing-time timer for it to be due */
  constructor(gate: Gate, out: AnyReceiver, control: AnyReceiver, processingDelay = 0) {
    this.gate = gate;
    this.#processingDelay = processingDelay;
    this.out = out;
    this.#control = control;
    this.#target = watermarkTarget(control);
    this.#simulated = gate.task.options.processingTime === 'records';
    const tracked = !gate.task.options.residentState;
    this.timers = {
      event: new TimerQueue({ tracked }),
      processing: new TimerQueue({ tracked }),
      dueAt: (kind) => (kind === 'event' ? this.#dueEventTime() : this.#dueProcessingTime()),
    };
  }

  abstract record(value: T, timestamp: number, key: unknown): void;

  /** Runs one due timer; a promise makes the operator wait for it. */
  protected abstract onTimer(kind: TimerKind, timer: Timer): PromiseLike<unknown> | undefined;

  watermark(timestamp: number): void {
    if (this.gate.busy) return this.gate.holdWatermark(this, timestamp);
    this.currentWatermark = timestamp;
    if (this.hasDue()) this.#fireThenPass(timestamp);
    else this.#passWatermark(timestamp);
  }

  status(idle: boolean): void {
    if (this.gate.busy) return this.gate.holdStatus(this, idle);
    if (!this.#isHeldBack()) this.#control.status(idle);
  }

  end(): void {
    if (this.gate.busy) return this.gate.holdEnd(this);
    this.currentWatermark = Infinity;
    this.#draining = true;
    this.fireDue(() => this.#control.end());
  }

  /** True while the timers that are left at the end of the input are fired. */
  protected get atEnd(): boolean {
    return this.#draining;
  }

  /** How messages call the operator. */
  get operator(): string {
    return this.gate.operator;
  }

  watermarkNow(): number {
    return this.currentWatermark;
  }

  currentProcessingTime(): number {
    if (this.#firingTime !== undefined) return this.#firingTime;
    return this.#simulated ? this.#processingTime : this.gate.task.options.clock.now();
  }

  /** In simulated time a record moves the clock to its timestamp, never back. */
  protected followRecord(timestamp: number): void {
    if (this.#simulated && timestamp > this.#processingTime) this.#processingTime = timestamp;
  }

  nextProcessingTime(): number {
    return this.timers.processing.next + this.#processingDelay;
  }

  advanceProcessingTime(now: number): void {
    if (this.gate.busy) return this.gate.hold(() => this.advanceProcessingTime(now));
    if (now > this.#processingTime) this.#processingTime = now;
    if (this.hasDue()) this.fireDue(() => undefined);
  }

  protected register(kind: TimerKind, time: number, key: unknown, namespace: string | number): void {
    const due = kind === 'event' ? this.#dueEventTime() : this.#dueProcessingTime();
    const depth = this.#firingDepth !== undefined && time <= due ? this.#firingDepth + 1 : 0;
    this.timers[kind].add(time, key, namespace, depth);
    if (depth <= MAX_TIMER_CHAIN) return;
    const error = new RsError(
      'RS_TIMER_LOOP',
      `${this.gate.operator}: ${MAX_TIMER_CHAIN} timers in a row have each registered the next one, which was due already; ` +
        'register times in the future, and stop when ctx.currentWatermark() is Infinity',
      { details: { operator: this.gate.operator } },
    );
    throw this.gate.failed(error); // It stands even when the callback catches it.
  }

  protected hasDue(): boolean {
    const { event, processing } = this.timers;
    return event.next <= this.#dueEventTime() || processing.next <= this.#dueProcessingTime();
  }

  /** Fires what is due, including what the callbacks make due, then goes on with `next`. */
  protected fireDue(next: () => void): void {
    const { task } = this.gate;
    while (!task.stopped) {
      if (task.stepwise !== undefined && !this.#mayGoOn(task.stepwise)) return this.#interrupted();
      const fired = this.#fireFirst();
      if (fired === undefined) {
        next();
        task.stepwise?.through(this);
        return;
      }
      if (fired.waiting !== undefined) {
        task.stepwise?.wait(this);
        this.gate.suspend(fired.waiting, () => this.fireDue(next));
        this.#onAccountOf(fired.cause);
        return;
      }
    }
  }

  meta(): OperatorMeta {
    return { watermark: this.currentWatermark, processingTime: this.#processingTime, ended: this.#draining };
  }

  restore(meta: OperatorMeta): void {
    this.currentWatermark = Number(meta['watermark']);
    this.#processingTime = Number(meta['processingTime']);
    this.#draining = meta['ended'] === true;
    this.#fired();
  }

  #fireThenPass(watermark: number): void {
    this.fireDue(() => this.#passWatermark(watermark));
  }

  #passWatermark(watermark: number): void {
    if (!this.gate.task.attention) this.#target.watermark(watermark);
    else if (!this.#isHeldBack()) this.#control.watermark(watermark);
  }

  #isHeldBack(): boolean {
    return this.gate.task.stepwise?.holdsBack(this) === true;
  }

  /** Where only some timers may fire, or are in memory, the next one must be among them. */
  #mayGoOn(time: StepwiseTime): boolean {
    const { event, processing } = this.timers;
    const [now, eventTime] = [this.#dueProcessingTime(), this.#dueEventTime()];
    const first = processing.mayHaveDue(now);
    if (!first && !event.mayHaveDue(eventTime)) return !time.holdsBack(this);
    if (!time.mayFire(this, first ? 'processing' : 'event')) return false;
    if (first ? processing.canTake(now) : event.canTake(eventTime)) return true;
    if (time.bounded) time.exhaust();
    else throw this.gate.failed(timersNotLoaded(this.operator));
    return false;
  }

  /** What is left fires when the driver comes back to it, and not before: with the clock, that is the next tick. */
  #interrupted(): void {
    if (this.#simulated) return;
    this.#processingTime = Math.min(
      this.#processingTime,
      this.timers.processing.next + this.#processingDelay - 1,
    );
  }

  /** A flushed watermark is at the end of time, but what waits for the end of the input must go on waiting. */
  #dueEventTime(): number {
    return this.currentWatermark === Infinity && !this.#draining ? Number.MAX_VALUE : this.currentWatermark;
  }

  #dueProcessingTime(): number {
    return this.#draining ? Infinity : this.#processingTime - this.#processingDelay;
  }

  #fireFirst(): Fired | undefined {
    const processing = this.timers.processing.takeDue(this.#dueProcessingTime());
    if (processing !== undefined) return this.#fire('processing', processing);
    const event = this.timers.event.takeDue(this.#dueEventTime());
    return event === undefined ? undefined : this.#fire('event', event);
  }

  #fire(kind: TimerKind, timer: DueTimer): Fired {
    this.#firingDepth = timer.depth;
    if (kind === 'processing') this.#firingTime = timer.time;
    const { places, stepwise } = this.gate.task;
    const cause = places?.cause;
    if (places !== undefined) {
      const firing: FiringTimer = { operator: this, kind, timer };
      places.cause = firing;
      stepwise?.firing(firing);
    }
    const waiting = this.onTimer(kind, timer);
    if (waiting !== undefined) return { waiting: this.#untilFired(waiting), cause };
    this.#onAccountOf(cause);
    this.#fired();
    return { waiting, cause };
  }

  /** What is done for the current item from now on, is on account of a timer, or of what the item itself was. */
  #onAccountOf(cause: unknown): void {
    const { places } = this.gate.task;
    if (places !== undefined) places.cause = cause;
  }

  async #untilFired(waiting: PromiseLike<unknown>): Promise<void> {
    const { task } = this.gate;
    const { generation } = task;
    try {
      await waiting;
    } finally {
      // After a rewind it would be about another timer.
      if (generation === task.generation) this.#fired();
    }
  }

  #fired(): void {
    this.#firingTime = undefined;
    this.#firingDepth = undefined;
  }
}

function timersNotLoaded(operator: string): RsError {
  return new RsError(
    'RS_STATE_NOT_LOADED',
    `${operator}: timers are due that were not read beforehand; please report this as a bug of the engine`,
    { details: { operator } },
  );
}
