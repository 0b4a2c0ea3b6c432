import type { Redis } from 'ioredis';
import { TopicKeys } from '@rs/redis';
import { factsOf } from '../../redis/facts-of.ts';
import { observingRedis } from '../../redis/observing-redis.ts';
import { streamEntries } from '../../redis/stream-entries.ts';
import { LOAD } from '../load/settings.ts';
import { HEADERS } from '../workers/config.ts';
import type { DeadLetter, LogEntry, PartitionState } from './stored.ts';

/** Names and values of a dead letter before those of its message: o, g, n, t, r, e. */
const FACTS_OF_DEAD = 12;

export interface LeaseSample {
  readonly epoch: number;
  readonly low: string;
  readonly owner: string;
}

/** Looks at what Redis holds, over a connection that no fault is aimed at. */
export class Observer {
  readonly #redis: Redis;
  readonly #keys = new TopicKeys({ topic: LOAD.topic, shards: LOAD.partitions });

  constructor(port: number) {
    this.#redis = observingRedis(port);
  }

  close(): void {
    this.#redis.disconnect();
  }

  /** The leases of all partitions, in their order. */
  async leases(): Promise<LeaseSample[]> {
    const pipeline = this.#redis.pipeline();
    for (const keys of this.#partitions()) {
      pipeline.hmget(keys.group(LOAD.group).lease, 'epoch', 'low', 'owner');
    }
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, reply]) => {
      if (error !== null) throw error;
      const [epoch, low, owner] = reply as (string | null)[];
      return { epoch: Number(epoch ?? 0), low: low ?? '0-0', owner: owner ?? '' };
    });
  }

  async destroyGroup(partition: number): Promise<boolean> {
    return (await this.#redis.xgroup('DESTROY', this.#keys.partition(partition).log, LOAD.group)) === 1;
  }

  /** Fails where a stream does not exist. */
  async states(): Promise<PartitionState[]> {
    return Promise.all(this.#partitions().map((keys) => this.#state(keys.partition)));
  }

  async log(): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    for (const { partition, log } of this.#partitions()) {
      for await (const { id, fields } of streamEntries(this.#redis, log)) {
        const headers = JSON.parse(String(fields.get('h'))) as Record<string, string>;
        const { [HEADERS.by]: by = '', [HEADERS.n]: n } = headers;
        entries.push({ partition, id, key: String(fields.get('k')), n: Number(n), by });
      }
    }
    return entries;
  }

  async deadLetters(): Promise<DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for (const { partition, log, deadLetters } of this.#partitions()) {
      for await (const { fields, flat } of streamEntries(this.#redis, deadLetters)) {
        const original = String(fields.get('o'));
        const [entry] = (await this.#redis.xrangeBuffer(log, original, original)) as [Buffer, Buffer[]][];
        letters.push({
          partition,
          original,
          group: String(fields.get('g')),
          reason: String(fields.get('r')),
          attempts: Number(fields.get('n')),
          intact:
            entry !== undefined && Buffer.concat(entry[1]).equals(Buffer.concat(flat.slice(FACTS_OF_DEAD))),
        });
      }
    }
    return letters;
  }

  async #state(partition: number): Promise<PartitionState> {
    const keys = this.#keys.partition(partition);
    const { lease, retries, attempts } = keys.group(LOAD.group);
    const [info, groups, facts, held, parked, tried] = await Promise.all([
      this.#redis.xinfo('STREAM', keys.log) as Promise<unknown[]>,
      this.#redis.xinfo('GROUPS', keys.log) as Promise<unknown[][]>,
      this.#redis.hgetall(lease),
      this.#redis.hget(keys.holds, `g:${LOAD.group}`),
      this.#redis.zrange(retries, 0, -1),
      this.#redis.hkeys(attempts),
    ]);
    const group = groups.map(factsOf).find((each) => each.get('name') === LOAD.group);
    return {
      partition,
      last: String(factsOf(info).get('last-generated-id')),
      delivered: group === undefined ? undefined : String(group.get('last-delivered-id')),
      pending: Number(group?.get('pending') ?? 0),
      low: facts['low'] ?? '0-0',
      held: held ?? '',
      epoch: Number(facts['epoch'] ?? 0),
      owned: facts['token'] !== undefined,
      retries: parked,
      attempts: tried,
    };
  }

  #partitions(): ReturnType<TopicKeys['partition']>[] {
    return Array.from({ length: LOAD.partitions }, (_, partition) => this.#keys.partition(partition));
  }
}
