import { RsError, isRsError } from '@rs/core';
import { Waiter } from '../../time/waiter.ts';
import type { PendingEntry } from '../partition/partition-scripts.ts';
import { type Delivery, nameOf } from './delivery.ts';
import type { Lane } from './lane.ts';
import {
  type DeliveryFacts,
  fetchedDeliveries,
  pendingDelivery,
  redeliveredDelivery,
} from './new-delivery.ts';

/** Pending entries per page of a takeover. */
const PAGE = 500;
/** A partition without news is looked at this often all the same: the doorbell hears entries, not a group that was moved. */
const AUDIT = 10_000;
/**
 * How far reading goes beyond the oldest entry that is not settled: everything since then is remembered, and delivered again if the
 * group is destroyed.
 */
const MAX_SPAN = 100_000;
/** Outcomes that wait to be stored while Redis does not take them: beyond it nothing more is read. */
const MAX_UNSTORED = 5_000;
/** New entries that Redis reads at a time at first; between portions it looks at their bytes. */
const STEP = 32;
const TROUBLE_DELAY = { initial: 20, max: 2_000 } as const;

const NEVER_TRIED = { attempts: 0, due: undefined, delay: undefined } as const;

interface Unloaded extends PendingEntry {
  readonly place: number;
  readonly crashed: boolean;
}

/**
 * Reads for a lane: first everything that was delivered before and is not settled, in order, then what is new, as much as
 * the lane has room for.
 */
export class LaneReader {
  readonly #lane: Lane;
  readonly #onLost: (error: RsError) => void;
  readonly #waiter = new Waiter();
  readonly #acquiredAt: number;
  readonly #unloaded: Unloaded[] = [];
  #cursor: string | undefined = '0-0';
  #after: string;
  #again = '0-0';
  #mayHaveMore = true;
  #suspectAgain: boolean;
  #waitingFor: 'room' | 'bell' | undefined;
  #stopped = false;

  constructor(lane: Lane, onLost: (error: RsError) => void) {
    this.#lane = lane;
    this.#onLost = onLost;
    this.#after = lane.lease.fetched;
    this.#suspectAgain = lane.lease.crashed;
    this.#acquiredAt = lane.options.timers.monotonic();
  }

  start(): void {
    void this.#run();
  }

  ring(): void {
    this.#mayHaveMore = true;
    if (this.#waitingFor === 'bell') this.#waiter.notify();
  }

  /** Something changed in the lane. Called after every turn, so it only goes on when there is room now. */
  wake(): void {
    if (this.#waitingFor === 'room' && this.#room() > 0) this.#waiter.notify();
  }

  stop(): void {
    this.#stopped = true;
    this.#lane.options.bell.unwatch();
    this.#waiter.notify();
  }

  /** Nothing more is read until something is settled. */
  get full(): boolean {
    return this.#room() === 0;
  }

  /** All that the owner before may have crashed on is in the lane: what was pending, and what is delivered to the group again. */
  get caughtUp(): boolean {
    return this.#cursor === undefined && this.#unloaded.length === 0 && !this.#suspectAgain;
  }

  /** Never rejected. Ends only with `stop`. */
  async #run(): Promise<void> {
    const { events, timers } = this.#lane.options;
    let delay: number = TROUBLE_DELAY.initial;
    while (!this.#stopped) {
      try {
        await this.#step();
        delay = TROUBLE_DELAY.initial;
      } catch (error) {
        if (this.#stopped || isRsError(error, 'RS_CLOSED')) return;
        if (isRsError(error, 'RS_LEASE_LOST')) {
          this.#onLost(error);
          return;
        }
        events.trouble(this.#lane.scripts.place, 'reading', error);
        const cancel = timers.after(delay, () => {
          this.#waiter.notify();
        });
        await this.#waiter.wait();
        cancel();
        delay = Math.min(delay * 2, TROUBLE_DELAY.max);
      }
    }
  }

  async #step(): Promise<void> {
    if (this.#cursor !== undefined) {
      await this.#takeOver(this.#cursor);
      return;
    }
    const count = this.#room();
    if (count === 0) {
      this.#lane.options.bell.unwatch();
      await this.#wait('room');
      return;
    }
    if (this.#unloaded.length > 0) {
      await this.#load(count);
    } else if (this.#mayHaveMore) {
      await this.#fetch(count);
    } else {
      this.#lane.options.bell.watch(this.#after, this.#again);
      const cancel = this.#lane.options.timers.after(AUDIT, () => {
        this.ring();
      });
      await this.#wait('bell');
      cancel();
    }
  }

  async #wait(what: 'room' | 'bell'): Promise<void> {
    this.#waitingFor = what;
    await this.#waiter.wait();
    this.#waitingFor = undefined;
  }

  /** How many entries to read now. Not a few while there is enough to do: large portions cost fewer round trips. */
  #room(): number {
    const { credits, queue, table, settler, active, options } = this.#lane;
    if (!active || queue.full || table.span >= MAX_SPAN || settler.unstored >= MAX_UNSTORED) return 0;
    const { batchCount, maxInFlight } = options.subscription;
    // What does not fill a batch is not enough to do.
    const busy =
      options.batch === undefined ? queue.queued + queue.running > 0 : queue.queued >= options.batch.max;
    if (busy && credits.free < Math.min(batchCount, maxInFlight >> 1)) return 0;
    return credits.chunk();
  }

  async #takeOver(cursor: string): Promise<void> {
    const { scripts, lease, table, options } = this.#lane;
    const page = await scripts.takeOver(lease.token, cursor, PAGE);
    if (this.#stopped) return;
    if (typeof page === 'string') {
      this.#lane.settler.refused(page);
      return;
    }
    if (page.gone.length > 0) options.events.entriesLost(scripts.place, page.gone);
    for (const entry of page.entries) {
      const crashed = lease.crashed && entry.id === lease.started;
      this.#unloaded.push({ ...entry, place: table.add(entry.id), crashed });
    }
    this.#cursor = page.next === '0-0' ? undefined : page.next;
    if (this.#cursor !== undefined) return;
    table.passed(lease.fetched);
    // Retention goes by what is stored, and until the next message comes nothing else would store it.
    if (table.low !== lease.low) this.#lane.settler.storeLow();
  }

  async #load(count: number): Promise<void> {
    const { scripts, lease, credits, settler, options } = this.#lane;
    const wanted = this.#unloaded.slice(0, count);
    const loaded = await scripts.load(
      wanted.map(({ id }) => id),
      credits.freeBytes,
    );
    if (this.#stopped) return;
    const gone: string[] = [];
    let bytes = 0;
    const deliveries = loaded.map(({ id, fields }, at) => {
      const entry = wanted[at];
      if (entry === undefined || entry.id !== id) throw disordered(id);
      if (fields === undefined) gone.push(id);
      const delivery = pendingDelivery(
        { id, fields: fields ?? [] },
        this.#facts(entry.place, lease.crashed, entry),
      );
      bytes += delivery.bytes;
      return { delivery, entry, gone: fields === undefined };
    });
    this.#unloaded.splice(0, loaded.length);
    credits.take(loaded.length, bytes);
    for (const { delivery, entry, gone: isGone } of deliveries) {
      if (isGone) {
        credits.give(1, 0);
        settler.done(delivery);
      } else if (entry.crashed) this.#crashedOn(delivery);
      else this.#lane.accept(delivery, this.#parkedFor(entry));
    }
    if (gone.length > 0) options.events.entriesLost(scripts.place, gone);
    this.#lane.pump();
  }

  /** The owner before went while it handled this entry: that was an attempt, and the last one if there were enough. */
  #crashedOn(delivery: Delivery): void {
    const { settler, options, scripts, credits } = this.#lane;
    delivery.failed++;
    settler.unmark();
    if (delivery.failed < options.subscription.retry.maxAttempts) {
      settler.retry(delivery, 0);
      this.#lane.accept(delivery);
      return;
    }
    credits.give(1, delivery.bytes);
    settler.dead(delivery, 'crashed', '{}');
    options.events.dead(scripts.place, delivery.messageId, 'crashed', undefined);
  }

  async #fetch(count: number): Promise<void> {
    const { scripts, lease, credits, settler } = this.#lane;
    // Before the call: a ring that comes while it is under way may be for an entry that it has missed.
    this.#mayHaveMore = false;
    const fetched = await scripts
      .fetch(lease.token, {
        after: this.#after,
        again: this.#again,
        count,
        budget: credits.freeBytes,
        step: credits.averageSize === 0 ? 1 : STEP,
        confirmed: settler.confirmed,
      })
      .catch((error: unknown) => {
        this.#mayHaveMore = true;
        throw error;
      });
    if (this.#stopped) return;
    if (typeof fetched === 'string') {
      settler.refused(fetched);
      return;
    }
    const { entries, redelivered, moreRedelivered, moreNew } = fetched;
    const known = new Map(fetched.known.map((entry) => [entry.id, entry]));
    if (moreRedelivered || moreNew) this.#mayHaveMore = true;
    const deliveries = fetchedDeliveries(entries, (id) => {
      const facts = this.#facts(this.#place(id), false, known.get(id));
      this.#after = id;
      return facts;
    });
    let bytes = 0;
    for (const delivery of deliveries) bytes += delivery.bytes;
    for (const entry of redelivered) {
      const delivery = redeliveredDelivery(entry, this.#facts(undefined, this.#suspectAgain, entry));
      bytes += delivery.bytes;
      deliveries.push(delivery);
      this.#again = entry.id;
    }
    credits.take(deliveries.length, bytes);
    const first = deliveries.length - redelivered.length;
    deliveries.forEach((delivery, at) => {
      const facts = at < first ? known.get(delivery.id) : redelivered[at - first];
      // An id of the log is never that of a redelivered entry, which has a mark in front of it.
      if (delivery.suspect && nameOf(delivery) === lease.started) this.#crashedOn(delivery);
      else this.#lane.accept(delivery, this.#parkedFor(facts));
    });
    if (this.#suspectAgain && !moreRedelivered) {
      this.#suspectAgain = false;
      this.#lane.takenOver();
    }
    // The next read goes out first: Redis works on it while handlers run that return at once.
    if (this.#mayHaveMore) this.#lane.options.timers.soon(() => this.#lane.pump());
    else this.#lane.pump();
  }

  #facts(
    place: number | undefined,
    suspect: boolean,
    known: { readonly attempts: number; readonly due: number | undefined } = NEVER_TRIED,
  ): DeliveryFacts {
    return {
      place,
      suspect,
      failed: known.attempts,
      recorded: known.attempts > 0 || known.due !== undefined,
      keyed: this.#lane.options.subscription.ordering === 'key',
    };
  }

  #place(id: string): number {
    try {
      return this.#lane.table.add(id);
    } catch (error) {
      // The group was moved back by hand: what follows was settled before, and only a new lane can tell it from what was not.
      const { topic, partition } = this.#lane.scripts.place;
      throw new RsError(
        'RS_LEASE_LOST',
        `partition ${partition} of topic '${topic}' was given up: the position of the group was moved back to before ${id}`,
        { cause: error, details: { topic, partition, id } },
      );
    }
  }

  /**
   * Milliseconds until a parked entry is due, from now; `undefined` for one that is not parked. Never more than its delay: the clock of the
   * server may have gone back.
   */
  #parkedFor({ due, delay = Infinity }: Pick<PendingEntry, 'due' | 'delay'> = NEVER_TRIED):
    number | undefined {
    if (due === undefined) return undefined;
    const { lease, options } = this.#lane;
    const now = lease.now + options.timers.monotonic() - this.#acquiredAt;
    return due > now ? Math.min(due - now, delay) : undefined;
  }
}

function disordered(id: string): RsError {
  return new RsError('RS_REDIS_REPLY', `Redis answered with entry ${id}, which was not asked for`, {
    details: { id },
  });
}
