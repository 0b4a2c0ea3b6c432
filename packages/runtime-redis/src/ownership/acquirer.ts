import { isRsError } from '@rs/core';
import type { Timers } from '@rs/mq';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskLease } from '../store/task-lease.ts';
import type { OwnershipEvents } from './ownership-events.ts';
import { Rests } from './rests.ts';
import type { TaskLeases } from './task-leases.ts';

export interface AcquirerOptions {
  readonly leases: TaskLeases;
  readonly placeOf: (partition: number) => TaskPlace;
  readonly untilOf: (partition: number) => string | undefined;
  readonly owner: string;
  /** Milliseconds of a lease, as Redis is told. */
  readonly ttl: number;
  readonly timers: Timers;
  readonly newToken: () => string;
  readonly events: OwnershipEvents;
  /** Whether this member should have it and has not. Asked before and after the call. */
  readonly wants: (partition: number) => boolean;
  /** It has it. The lease holds until `deadline`, of the timers' time. */
  readonly onAcquired: (place: TaskPlace, lease: TaskLease, deadline: number) => void;
}

/** How soon a partition that another member still holds is asked for again. */
const ASK_AGAIN = 250;
/** Expiries are looked at a little later than they are due, so that the first look finds them. */
const AFTER_EXPIRY = 10;
/** Longest pause after an error: Redis may be back at any time. */
const MAX_TROUBLE = 5_000;

/**
 * Asks for the leases of the partitions of one task until it has them.
 *
 * Invariant: a token is kept from before the call that names it until Redis has said that it is no lease of ours, or the lease is in use.
 * So whatever a lost reply has acquired can be given back.
 */
export class Acquirer {
  /** Partitions that were acquired and could not be worked on. */
  readonly rests: Rests;
  readonly #options: AcquirerOptions;
  /** After calls that have failed. */
  readonly #pauses: Rests;
  readonly #tokens = new Map<number, string>();
  readonly #underWay = new Map<number, Promise<number | undefined>>();
  /** Partitions that are asked for again after a while: takes that back. */
  readonly #asking = new Map<number, () => void>();
  readonly #troubles = new Map<number, unknown>();
  #stopped = false;

  constructor(options: AcquirerOptions) {
    this.#options = options;
    this.rests = new Rests(options.timers);
    this.#pauses = new Rests(options.timers);
  }

  /** Partitions that may have been acquired without our knowing. Their leases end by themselves. */
  get unclear(): number {
    return this.#tokens.size;
  }

  /** Why partitions could not be asked for the last time. */
  get troubles(): ReadonlyMap<number, unknown> {
    return this.#troubles;
  }

  /** Asks once, and again after a while when that brings nothing. Never rejected. */
  async acquire(partition: number): Promise<void> {
    if (this.#stopped || this.#underWay.has(partition) || !this.#options.wants(partition)) return;
    // Every round asks too: there shall be one question at a time, however many rounds a partition stays with its owner.
    this.#asking.get(partition)?.();
    this.#asking.delete(partition);
    const rest = Math.max(this.rests.left(partition), this.#pauses.left(partition));
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
    const { leases, placeOf, untilOf, owner, ttl, timers, newToken, events, wants, onAcquired } =
      this.#options;
    const place = placeOf(partition);
    // The same one until there is an answer: an acquisition whose reply was lost is found again, not waited for.
    const token = this.#tokens.get(partition) ?? newToken();
    this.#tokens.set(partition, token);
    const sentAt = timers.monotonic();
    try {
      const reply = await leases.acquire(place, { token, owner, ttl, until: untilOf(partition) });
      this.#troubles.delete(partition);
      if (reply.type === 'busy') {
        this.#tokens.delete(partition);
        return Math.min(reply.left + AFTER_EXPIRY, ASK_AGAIN);
      }
      // Meanwhile the job may have been stopped, or the partition have become somebody else's.
      if (this.#stopped || !wants(partition)) {
        await this.#giveBack(partition, token);
        return undefined;
      }
      this.#tokens.delete(partition);
      onAcquired(place, reply.lease, sentAt + ttl);
      return undefined;
    } catch (error) {
      if (isRsError(error, 'RS_CLOSED')) return undefined;
      this.#troubles.set(partition, error);
      events.trouble(place, 'acquiring', error);
      // No rest: others would be told that it cannot be worked on here, while it is Redis that is away, from all.
      this.#pauses.begin(partition, MAX_TROUBLE);
      return this.#pauses.left(partition);
    }
  }

  /** Never rejected. */
  async #giveBack(partition: number, token: string): Promise<void> {
    const { leases, placeOf, events } = this.#options;
    const place = placeOf(partition);
    try {
      await leases.release({ place, token });
      // By now it may be another one's turn.
      if (this.#tokens.get(partition) === token) this.#tokens.delete(partition);
    } catch (error) {
      events.unreleased(place, error);
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
