import type { Logger, RsError } from '@rs/core';
import type { Timers } from '../../time/timers.ts';
import { Credits } from '../credits/credits.ts';
import { DispatchQueue } from '../dispatch/dispatch-queue.ts';
import type { ResolvedBatch } from '../options/batch.ts';
import type { ResolvedSubscription } from '../options/subscription.ts';
import type { Lease, PartitionScripts } from '../partition/partition-scripts.ts';
import { UnsettledTable } from '../position/low-watermark.ts';
import { type Delivery, nameOf } from './delivery.ts';
import { type Verdict, judge } from './judge.ts';
import type { Ending } from './ending.ts';
import { LaneReader } from './lane-reader.ts';
import type { LaneEvents } from './lane-events.ts';
import { ParkedTimer } from './parked-timer.ts';
import { Quiet } from './quiet.ts';
import type { Runner, RunnerHost } from './runner.ts';
import { Settler } from './settler.ts';

/** Handlers that return at once are called so often, or for so long, before the event loop has its turn: leases live on it. */
const TURN = { messages: 256, ms: 10 } as const;

export interface Bell {
  /** Rings the lane once the partition has an entry after `after`, or redelivers one after `again`. */
  watch(after: string, again: string): void;
  unwatch(): void;
}

export interface LaneOptions {
  readonly scripts: PartitionScripts;
  readonly lease: Lease;
  readonly subscription: ResolvedSubscription;
  readonly batch: ResolvedBatch | undefined;
  readonly makeRunner: (host: RunnerHost) => Runner;
  readonly bell: Bell;
  readonly timers: Timers;
  readonly random: () => number;
  readonly logger: Logger;
  readonly events: LaneEvents;
  /** Milliseconds of the timers' time up to which the lease holds for sure. */
  readonly deadline: number;
  readonly paused: boolean;
  /** Called once, when the lane has ended for whatever reason. Handlers may still run. */
  readonly onEnd: () => void;
}

/**
 * The work on one partition from acquiring its lease until giving it back: reads, starts handlers in order, stores outcomes.
 *
 * Invariants:
 * - No handler starts after the lease's deadline, while paused, or once the lane drains or has ended.
 * - An entry that was read is settled, parked, dead, or still pending in Redis: a lane that ends leaves what it has not finished to
 *   its successor, without an attempt being counted.
 */
export class Lane implements RunnerHost {
  readonly scripts: PartitionScripts;
  readonly lease: Lease;
  readonly queue: DispatchQueue<Delivery>;
  readonly credits: Credits;
  readonly table: UnsettledTable;
  readonly settler: Settler;
  readonly options: LaneOptions;
  readonly #runner: Runner;
  readonly #reader: LaneReader;
  readonly #quiet = new Quiet(() => this.#runner.active);
  readonly #parked: ParkedTimer;
  /** Handlers have returned, their messages are not acknowledged yet. */
  readonly #open = new Set<Delivery>();
  #state: 'running' | 'draining' | 'ended' = 'running';
  #paused: boolean;
  #deadline: number;
  #suspects = 0;
  #marking = false;
  /** Failures are the closing's fault: they cost no attempt. */
  #aborted = false;
  #pumping = false;
  #cancelBatch: (() => void) | undefined;

  constructor(options: LaneOptions) {
    const { scripts, lease, subscription, timers, logger } = options;
    this.options = options;
    this.scripts = scripts;
    this.lease = lease;
    this.#paused = options.paused;
    this.#deadline = options.deadline;
    this.queue = new DispatchQueue<Delivery>(subscription);
    this.credits = new Credits({
      maxMessages: subscription.maxInFlight,
      maxBytes: subscription.maxInFlightBytes,
      maxChunk: subscription.batchCount,
    });
    this.table = new UnsettledTable(lease.low);
    const onLost = (error: RsError): void => {
      this.lose(error);
    };
    this.settler = new Settler({ scripts, token: lease.token, table: this.table, timers, logger, onLost });
    this.#runner = options.makeRunner(this);
    this.#parked = new ParkedTimer(this.queue, timers, () => {
      this.pump();
    });
    this.#reader = new LaneReader(this, onLost);
  }

  get state(): 'running' | 'paused' | 'draining' | 'ended' {
    return this.#state === 'running' && this.#paused ? 'paused' : this.#state;
  }

  /** Handlers may start and entries may be read. */
  get active(): boolean {
    return this.#state === 'running' && !this.#paused;
  }

  get handling(): number {
    return this.#runner.active;
  }

  /** Entries that were read and are not settled. */
  get inFlight(): number {
    return this.queue.queued + this.queue.running + this.queue.parked + this.#open.size;
  }

  start(): void {
    this.#reader.start();
  }

  /** The doorbell: there may be something to read. */
  ring(): void {
    this.#reader.ring();
  }

  renewed(deadline: number): void {
    const late = this.#late;
    // An answer that comes late, after that of a later renewal, takes nothing back.
    this.#deadline = Math.max(this.#deadline, deadline);
    if (late) this.pump();
  }

  get deadline(): number {
    return this.#deadline;
  }

  /** Fulfilled when no handler runs, and none will start before `resume`. */
  pause(): Promise<void> {
    this.#paused = true;
    this.#reader.wake();
    return this.quiet();
  }

  resume(): void {
    this.#paused = false;
    this.#reader.wake();
    this.pump();
  }

  /** Starts nothing more. Fulfilled when handlers have ended and their outcomes are stored, or the lane has ended. */
  async drain(): Promise<void> {
    if (this.#state === 'running') this.#state = 'draining';
    this.#stopWaiting();
    this.#reader.stop();
    await this.quiet();
    await this.settler.stored();
  }

  /** Tells handlers to give up; what fails from now on is left to the next owner as it is. */
  abort(reason: RsError): void {
    this.#aborted = true;
    this.#runner.abort(reason);
  }

  /** Ends at once: somebody else owns the partition, or may by now. */
  lose(error: RsError): void {
    if (this.#state === 'ended') return;
    this.end();
    this.#runner.abort(error);
    this.options.events.lost(this.scripts.place, error);
  }

  /** The lease is given back or lost; nothing is stored any more. Idempotent. */
  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#stopWaiting();
    this.#reader.stop();
    this.settler.close();
    this.options.onEnd();
  }

  /** Fulfilled when no handler runs. */
  quiet(): Promise<void> {
    return this.#quiet.wait();
  }

  /** Takes an entry in. Entries come in the order of their ids, redelivered ones in theirs. */
  accept(delivery: Delivery, parkedFor?: number): void {
    if (delivery.suspect) this.#suspects++;
    if (parkedFor === undefined) this.queue.add(delivery);
    else {
      this.#uncount(delivery);
      this.queue.addParked(delivery, this.options.timers.monotonic() + parkedFor);
    }
  }

  /** Nothing is left, as far as is known, of what the owner before may have crashed on. */
  takenOver(): void {
    if (this.lease.crashed && this.#suspects === 0 && this.#reader.caughtUp) void this.settler.mark('');
  }

  /** Starts what may start. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    const { timers } = this.options;
    let now = timers.monotonic();
    const until = now + TURN.ms;
    let started = 0;
    // Handlers take their time: so it is asked for anew before each, once.
    for (; this.#mayStart(now); now = timers.monotonic()) {
      if (started >= TURN.messages || now >= until) {
        timers.soon(() => {
          this.pump();
        });
        break;
      }
      const deliveries = this.#next();
      if (deliveries.length === 0) break;
      started += deliveries.length;
      this.#start(deliveries);
    }
    this.#pumping = false;
    if (this.active) this.#parked.arm();
    this.#reader.wake();
  }

  get mayHandle(): boolean {
    return this.#state === 'running' && !this.#late;
  }

  /** It waits for its turn again, here or with the next owner. */
  notHandled(delivery: Delivery): void {
    this.queue.park(delivery, this.options.timers.monotonic());
    this.#quiet.check();
    this.pump();
  }

  ended(delivery: Delivery, ending: Ending): void {
    if (this.#state === 'ended') return;
    if (this.#aborted && ending.type === 'failed') return;
    const { subscription, random, events } = this.options;
    const verdict = judge(delivery, ending, subscription.retry, random);
    if (verdict.policyError !== undefined) events.policyFailed(this.scripts.place, verdict.policyError);
    this.#apply(delivery, verdict);
    if (delivery.suspect) {
      delivery.suspect = false;
      this.#suspects--;
      this.takenOver();
    }
  }

  returned(delivery: Delivery): void {
    if (delivery.queueState === 'running' && this.#state !== 'ended' && !this.#aborted) {
      this.queue.done(delivery);
      this.#open.add(delivery);
    }
    this.#quiet.check();
    this.pump();
  }

  #apply(delivery: Delivery, verdict: Verdict): void {
    const open = this.#open.delete(delivery);
    if (verdict.type === 'retry') {
      delivery.failed++;
      this.#uncount(delivery);
      const due = this.options.timers.monotonic() + verdict.delay;
      if (open) this.queue.addParked(delivery, due);
      else this.queue.park(delivery, due);
      this.settler.retry(delivery, verdict.delay);
      this.options.events.retried(this.scripts.place, delivery.messageId, delivery.failed, verdict.error);
      // Its handler has returned before: nothing else looks for what is due, or for room.
      if (open) this.pump();
      return;
    }
    if (!open) this.queue.done(delivery);
    this.credits.give(delivery.counted ? 1 : 0, delivery.bytes);
    if (verdict.type === 'done') {
      this.settler.done(delivery);
    } else {
      delivery.failed = verdict.failed;
      this.settler.dead(delivery, verdict.reason, verdict.report);
      this.options.events.dead(this.scripts.place, delivery.messageId, verdict.reason, verdict.error);
    }
    if (open) this.pump();
  }

  get #late(): boolean {
    return this.options.timers.monotonic() >= this.#deadline;
  }

  #mayStart(now: number): boolean {
    if (!this.active || this.#marking || now >= this.#deadline) return false;
    return this.#suspects === 0 || this.#runner.active === 0;
  }

  #next(): Delivery[] {
    const { batch } = this.options;
    if (batch === undefined || this.#suspects > 0) {
      const delivery = this.queue.next();
      return delivery === undefined ? [] : [delivery];
    }
    if (this.queue.queued >= batch.max || batch.maxWait === 0 || this.queue.parked > 0) {
      return this.queue.nextBatch(batch.max);
    }
    if (this.queue.queued > 0 && this.#runner.active === 0) {
      this.#cancelBatch ??= this.options.timers.after(batch.maxWait, () => {
        this.#cancelBatch = undefined;
        if (this.#mayStart(this.options.timers.monotonic())) this.#start(this.queue.nextBatch(batch.max));
      });
    }
    return [];
  }

  #start(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    this.#cancelBatch?.();
    this.#cancelBatch = undefined;
    const [first] = deliveries;
    if (this.#suspects > 0 && first !== undefined) void this.#startMarked(first);
    else this.#runner.start(deliveries);
  }

  /**
   * The owner before may have been brought down by one of the entries it left. They run one by one, and the mark tells the next owner
   * which one it was.
   */
  async #startMarked(delivery: Delivery): Promise<void> {
    this.#marking = true;
    await this.settler.mark(nameOf(delivery));
    this.#marking = false;
    // While the mark was stored the lane may have been paused, drained or lost: the entry stays pending.
    if (this.active && !this.#late) {
      this.#runner.start([delivery]);
      return;
    }
    this.notHandled(delivery);
  }

  #uncount(delivery: Delivery): void {
    if (!delivery.counted) return;
    delivery.counted = false;
    this.credits.give(1, 0);
  }

  #stopWaiting(): void {
    this.#parked.stop();
    this.#cancelBatch?.();
    this.#cancelBatch = undefined;
  }
}
