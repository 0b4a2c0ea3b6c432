import { RsError } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import { renewLeases } from '../../lua/scripts.generated.ts';
import type { Timers } from '../../time/timers.ts';
import type { Lane } from '../lane/lane.ts';
import type { LeaseTimes } from './lease-times.ts';

export interface LeaseKeeperOptions {
  readonly client: RedisClient;
  readonly times: LeaseTimes;
  readonly timers: Timers;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Renews the leases of all lanes of a consumer, one call per slot; on a single server one call for all.
 *
 * Invariant: the deadline of a lane counts from before the call that renewed it was sent, and Redis keeps the lease for as long
 * from when it ran. So no handler starts under a lease that another owner may have taken. A call that fails says nothing about the lease: only
 * the deadline does, or the answer that the token is another one.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  readonly #lanes = new Set<Lane>();
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  add(lane: Lane): void {
    this.#lanes.add(lane);
    this.#schedule();
  }

  remove(lane: Lane): void {
    this.#lanes.delete(lane);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#closed || this.#cancel !== undefined || this.#lanes.size === 0) return;
    this.#cancel = this.#options.timers.after(this.#options.times.renewEvery, () => {
      this.#cancel = undefined;
      // The next round does not wait for the answers of this one: a slow server must not make it late.
      void this.#renew();
      this.#schedule();
    });
  }

  async #renew(): Promise<void> {
    this.#loseLate();
    const groups = new Map<string, Lane[]>();
    for (const lane of this.#lanes) {
      const slot = this.#options.client.topology === 'single' ? '' : lane.scripts.place.tag;
      const group = groups.get(slot);
      if (group === undefined) groups.set(slot, [lane]);
      else group.push(lane);
    }
    await Promise.all([...groups.values()].map((lanes) => this.#renewAll(lanes)));
  }

  /** Never rejected. */
  async #renewAll(lanes: readonly Lane[]): Promise<void> {
    const { client, times, timers, onTrouble } = this.#options;
    const sentAt = timers.monotonic();
    const call = renewLeases({
      keys: { leases: lanes.map((lane) => lane.scripts.place.keys.lease) },
      args: { ttl: times.stored, tokens: lanes.map((lane) => lane.lease.token) },
    });
    try {
      const answers = await client.run(call, { timeout: times.ttl });
      lanes.forEach((lane, at) => {
        if (!this.#lanes.has(lane)) return;
        if (Array.isArray(answers) && answers[at] === 1) lane.renewed(sentAt + times.stored);
        else this.#lost(lane, 'another owner has it by now');
      });
    } catch (error) {
      if (this.#closed) return;
      onTrouble(error);
    }
    this.#loseLate();
  }

  #loseLate(): void {
    const { times, timers } = this.#options;
    for (const lane of this.#lanes) {
      if (timers.monotonic() >= lane.deadline) {
        this.#lost(
          lane,
          `it could not be renewed in time; the process, the network or Redis stood still for ${times.ttl} ms`,
        );
      }
    }
  }

  #lost(lane: Lane, why: string): void {
    const { topic, partition } = lane.scripts.place;
    this.#lanes.delete(lane);
    lane.lose(
      new RsError(
        'RS_LEASE_LOST',
        `the lease of partition ${partition} of topic '${topic}' was lost: ${why}`,
        {
          details: { topic, partition },
        },
      ),
    );
  }
}
