import type { Logger, RsError } from '@rs/core';
import type { Ids, Timers } from '@rs/mq';
import type { RedisClient } from '@rs/redis';
import type { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { slotTag } from '../ownership/slot-tag.ts';
import { ReplicaRounds, type ReplicatedTask } from './replica-rounds.ts';

export interface ReplicationOptions {
  readonly client: Pick<RedisClient, 'topology' | 'dedicated'>;
  readonly timers: Pick<Timers, 'after' | 'monotonic'>;
  readonly random: () => number;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Name of the connections, for people who look at the server. */
  readonly name: string;
}

/**
 * Waits until a replica has the commit with this number. The signal ends the waiting.
 *
 * @throws RsError `RS_LEASE_LOST` when the commit is not there any more; `RS_CLOSED`; the reason of the signal
 */
export type Replicated = (seq: number, signal: AbortSignal) => Promise<void>;

/** What replicas have of the tasks of this process: one connection for each server, or for each slot on a cluster. */
export class Replication {
  readonly #options: ReplicationOptions;
  readonly #rounds = new Map<string, ReplicaRounds>();
  #closed = false;

  constructor(options: ReplicationOptions) {
    this.#options = options;
  }

  /** Why results wait, where a replica does not confirm anything; `undefined` when none waits for that. */
  get failure(): RsError | undefined {
    for (const { failure } of this.#rounds.values()) if (failure !== undefined) return failure;
    return undefined;
  }

  /** @param token of the lease: what another owner has committed is no concern of this one's results */
  forTask(
    place: TaskPlace,
    { own, meta, ack }: Pick<TaskKeys, 'own' | 'meta' | 'ack'>,
    token: string,
  ): Replicated {
    const { topic, partition } = place;
    const task: ReplicatedTask = { keys: { own, meta, ack }, token, topic, partition, replicated: -1 };
    const slot = this.#options.client.topology === 'single' ? '' : slotTag(place);
    return (seq, signal) => this.#roundsOf(slot).replicated(task, seq, signal);
  }

  /** Those who wait are told `RS_CLOSED`. Idempotent. */
  close(): void {
    this.#closed = true;
    for (const rounds of this.#rounds.values()) rounds.close();
  }

  #roundsOf(slot: string): ReplicaRounds {
    let rounds = this.#rounds.get(slot);
    if (rounds === undefined) {
      const { client, name, ...rest } = this.#options;
      rounds = new ReplicaRounds({ ...rest, connect: (key) => client.dedicated({ key, name }) });
      if (this.#closed) rounds.close();
      this.#rounds.set(slot, rounds);
    }
    return rounds;
  }
}
