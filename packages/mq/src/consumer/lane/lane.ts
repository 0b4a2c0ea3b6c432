import type { RsError } from '@rs/core';
import type { Timers } from '../../time/timers.ts';
import { Credits } from '../credits/credits.ts';
import { DispatchQueue } from '../dispatch/dispatch-queue.ts';
import type { Lease, PartitionScripts } from '../partition/partition-scripts.ts';
import { UnsettledTable } from '../position/low-watermark.ts';
import { BatchWait } from './batch-wait.ts';
import type { Delivery } from './delivery.ts';
import { type Verdict, judge } from './judge.ts';
import type { Ending } from './ending.ts';
import type { LaneOptions } from './lane-options.ts';
import { LaneReader } from './lane-reader.ts';
import { ParkedTimer } from './parked-timer.ts';
import { Quiet } from './quiet.ts';
import type { Runner, RunnerHost } from './runner.ts';
import { Settler } from './settler.ts';
import { Suspects } from './suspects.ts';

/** Handlers that return at once are called so often, or for so long, before the event loop has its turn: leases live on it. */
const TURN = { messages: 256, ms: 10 } as const;
const TROUBLE_DELAY = 100;

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
  readonly #suspects: Suspects;
  readonly #batchWait: BatchWait;
  /** Handlers have returned, their messages are not acknowledged yet. */
  readonly #open = new Set<Delivery>();
  #state: 'running' | 'draining' | 'ended' = 'running';
  #paused: boolean;
  #deadline: number;
  /** Failures are the closing's fault: they cost no attempt. */
  #aborted = false;
  #pumping = false;

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
    this.settler = new Settler({
      ...{ scripts, token: lease.token, table: this.table, timers, logger, onLost },
      onStored: () => {
        this.#reader.wake();
      },
    });
    this.#runner = options.makeRunner(this);
    this.#parked = new ParkedTimer(this.queue, timers, () => {
      this.pump();
    });
    this.#suspects = new Suspects(this.settler);
    this.#batchWait = new BatchWait(timers, () => {
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

  /** Stores nothing more, since the lease is about to be given back: what is acknowledged from now on is delivered again. */
  retire(): void {
    this.settler.close();
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
    if (delivery.suspect) this.#suspects.add();
    if (parkedFor === undefined) this.queue.add(delivery);
    else {
      this.#uncount(delivery);
      this.queue.addParked(delivery, this.options.timers.monotonic() + parkedFor);
    }
  }

  /** Nothing is left, as far as is known, of what the owner before may have crashed on. */
  takenOver(): void {
    if (this.lease.crashed && this.#suspects.count === 0 && this.#reader.caughtUp) this.settler.allClear();
  }

  /** Starts what may start. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    const { timers } = this.options;
    try {
      this.#startAll(timers);
    } catch (error) {
      // Nothing in there should throw. If something does, what comes after it must not wait for ever.
      this.options.events.trouble(this.scripts.place, 'starting handlers', error);
      timers.after(TROUBLE_DELAY, () => {
        this.pump();
      });
    } finally {
      this.#pumping = false;
    }
    if (this.active) this.#parked.arm();
    this.#reader.wake();
  }

  #startAll(timers: Timers): void {
    let now = timers.monotonic();
    const until = now + TURN.ms;
    let started = 0;
    // Handlers take their time: so it is asked for anew before each, once.
    for (; this.#mayStart(now); now = timers.monotonic()) {
      if (started >= TURN.messages || now >= until) {
        timers.soon(() => {
          this.pump();
        });
        return;
      }
      const deliveries = this.#next();
      if (deliveries.length === 0) return;
      started += deliveries.length;
      this.#start(deliveries);
    }
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
      this.#suspects.cleared(delivery);
      // With its outcome: a message that waits for a retry is not the one that a crash from now on is about.
      this.settler.unmark();
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
    if (!this.active || this.#suspects.marking || now >= this.#deadline) return false;
    return this.#suspects.count === 0 || this.#runner.active === 0;
  }

  #next(): Delivery[] {
    const { batch } = this.options;
    if (batch === undefined || this.#suspects.count > 0) {
      const delivery = this.queue.next();
      return delivery === undefined ? [] : [delivery];
    }
    const { queued, parked } = this.queue;
    // What cannot become more need not wait.
    const waits = batch.maxWait > 0 && queued < batch.max && parked === 0 && !this.#reader.full;
    if (!waits || this.#batchWait.over) return this.queue.nextBatch(batch.max);
    if (queued > 0 && this.#runner.active === 0) this.#batchWait.begin(batch.maxWait);
    return [];
  }

  #start(deliveries: readonly Delivery[]): void {
    this.#batchWait.end();
    const [first] = deliveries;
    if (this.#suspects.count > 0 && first !== undefined) void this.#startMarked(first);
    else this.#runner.start(deliveries);
  }

  async #startMarked(delivery: Delivery): Promise<void> {
    await this.#suspects.mark(delivery);
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
    this.#batchWait.end();
  }
}
