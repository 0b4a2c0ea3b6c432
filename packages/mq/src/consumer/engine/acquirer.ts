import { isRsError } from '@rs/core';
import type { Timers } from '../../time/timers.ts';
import type { LaneEvents } from '../lane/lane-events.ts';
import type { Lease, PartitionScripts } from '../partition/partition-scripts.ts';

export interface AcquirerOptions {
  readonly scriptsFor: (partition: number) => PartitionScripts;
  readonly owner: string;
  /** Milliseconds of a lease, as Redis is told. */
  readonly ttl: number;
  /** Where a new group begins. */
  readonly from: string;
  readonly timers: Timers;
  readonly newToken: () => string;
  readonly events: LaneEvents;
  /** Whether this member should have it and has not. Asked before and after the call. */
  readonly wants: (partition: number) => boolean;
  /** It has it. The lease holds until `deadline`, of the timers' time. */
  readonly onAcquired: (scripts: PartitionScripts, lease: Lease, deadline: number) => void;
}

/** How soon a partition that another member still holds is asked for again. */
const ASK_AGAIN = 250;
/** Expiries are looked at a little later than they are due, so that the first look finds them. */
const AFTER_EXPIRY = 10;
/** How long a partition that could not be worked on is left alone, doubling from time to time. */
const REST = { initial: 500, max: 30_000 } as const;
/** A partition that went well for so long, in milliseconds, begins with the shortest rest again. */
const FORGIVEN = 60_000;

interface Rest {
  readonly until: number;
  readonly length: number;
}

/**
 * Asks for the leases of partitions until it has them.
 *
 * Invariant: a token is kept from before the call that names it until Redis has said that it is no lease of ours, or the lease is in use.
 * So whatever a lost reply has acquired can be given back.
 */
export class Acquirer {
  readonly #options: AcquirerOptions;
  readonly #tokens = new Map<number, string>();
  readonly #underWay = new Map<number, Promise<number | undefined>>();
  /** Partitions that are asked for again after a while: takes that back. */
  readonly #asking = new Map<number, () => void>();
  readonly #rests = new Map<number, Rest>();
  #stopped = false;

  constructor(options: AcquirerOptions) {
    this.#options = options;
  }

  /** Partitions that may have been acquired without our knowing. Their leases end by themselves. */
  get unclear(): number {
    return this.#tokens.size;
  }

  /** Partitions that are left alone for a while. */
  get resting(): number[] {
    const now = this.#options.timers.monotonic();
    return [...this.#rests].flatMap(([partition, { until }]) => (now < until ? [partition] : []));
  }

  /** Asks once, and again after a while when that brings nothing. Never rejected. */
  async acquire(partition: number): Promise<void> {
    if (this.#stopped || this.#underWay.has(partition) || !this.#options.wants(partition)) return;
    // Every round asks too: there shall be one question at a time, however many rounds a partition stays with its owner.
    this.#asking.get(partition)?.();
    this.#asking.delete(partition);
    const rest = (this.#rests.get(partition)?.until ?? 0) - this.#options.timers.monotonic();
    if (rest > 0) {
      this.#askIn(partition, rest);
      return;
    }
    const asking = this.#ask(partition);
    this.#underWay.set(partition, asking);
    const again = await asking;
    this.#underWay.delete(partition);
    if (again !== undefined && !this.#stopped) this.#askIn(partition, again);
  }

  /** It was acquired and could not be worked on: it is left alone for a while, a longer one each time. */
  rest(partition: number): void {
    const now = this.#options.timers.monotonic();
    const before = this.#rests.get(partition);
    const length =
      before === undefined || now > before.until + FORGIVEN
        ? REST.initial
        : Math.min(before.length * 2, REST.max);
    this.#rests.set(partition, { until: now + length, length });
  }

  /** Asks for nothing more. */
  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#asking.values()) cancel();
    this.#asking.clear();
  }

  /** After `stop`: waits for what is under way, and gives back whatever it may have brought. Never rejected. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay.values());
    await Promise.all([...this.#tokens].map(([partition, token]) => this.#giveBack(partition, token)));
  }

  /** Milliseconds until it is worth asking again; `undefined` when it need not be. Never rejected. */
  async #ask(partition: number): Promise<number | undefined> {
    const { scriptsFor, owner, ttl, from, timers, newToken, events, wants, onAcquired } = this.#options;
    const scripts = scriptsFor(partition);
    // The same one until there is an answer: an acquisition whose reply was lost is found again, not waited for.
    const token = this.#tokens.get(partition) ?? newToken();
    this.#tokens.set(partition, token);
    const sentAt = timers.monotonic();
    try {
      const reply = await scripts.acquire({ token, owner, ttl, from });
      if (reply.type === 'busy') {
        this.#tokens.delete(partition);
        return Math.min(reply.left + AFTER_EXPIRY, ASK_AGAIN);
      }
      // Meanwhile the consumer may have been closed, or the partition have become somebody else's.
      if (this.#stopped || !wants(partition)) {
        await this.#giveBack(partition, token);
        return undefined;
      }
      this.#tokens.delete(partition);
      onAcquired(scripts, reply.lease, sentAt + ttl);
      return undefined;
    } catch (error) {
      if (isRsError(error, 'RS_CLOSED')) return undefined;
      events.trouble(scripts.place, 'acquiring', error);
      return ASK_AGAIN;
    }
  }

  /** Never rejected. */
  async #giveBack(partition: number, token: string): Promise<void> {
    const { scriptsFor, events } = this.#options;
    const scripts = scriptsFor(partition);
    try {
      await scripts.release(token);
      // By now it may be another one's turn.
      if (this.#tokens.get(partition) === token) this.#tokens.delete(partition);
    } catch (error) {
      events.unreleased(scripts.place, error);
    }
  }

  #askIn(partition: number, delay: number): void {
    const cancel = this.#options.timers.after(delay, () => {
      this.#asking.delete(partition);
      void this.acquire(partition);
    });
    this.#asking.set(partition, cancel);
  }
}
