import { randomUUID } from 'node:crypto';
import { createMq } from '@rs/mq';
import { TopicKeys } from '@rs/redis';
import { Redis } from 'ioredis';
import type { Variant } from '../../variant.ts';
import { resultOf } from './results.ts';
import { typedCodec } from './typed-codec.ts';

/** Name of the job of every run: what tells runs apart is their prefix. */
export const JOB = 'conformance';

/** Keys that are looked at by one command. */
const PORTION = 500;

/** A Redis for runs, each with keys of its own, so that any number can go on at the same time. */
export class RedisBench {
  readonly #url: () => string;
  readonly #name = `conformance-${randomUUID()}`;
  #redis: Redis | undefined;
  #runs = 0;

  /** @param url asked for with the first run */
  constructor(url: () => string) {
    this.#url = url;
  }

  get redis(): Redis {
    return (this.#redis ??= new Redis(this.#url()));
  }

  /** Topics with the messages of a variant. */
  async prepare({ topics, messages }: Variant): Promise<RedisRun> {
    const prefix = `${this.#name}-${++this.#runs}`;
    const mq = createMq({ redis: this.redis, prefix, codecs: [typedCodec] });
    try {
      for (const [topic, partitions] of Object.entries(topics)) await mq.topics.ensure(topic, { partitions });
      const producer = mq.producer({ codec: typedCodec });
      await Promise.all(
        messages.map(({ topic, key, value, timestamp, headers, partition }) =>
          producer.send(topic, { key, value, timestamp, headers, partition }),
        ),
      );
    } finally {
      await mq.close();
    }
    return new RedisRun(this.redis, prefix, topics);
  }

  /** Removes what the runs have left, which may be a lot on a server that others use too. */
  async close(): Promise<void> {
    if (this.#redis === undefined) return;
    const redis = this.#redis;
    try {
      for await (const keys of portions(redis, `${this.#name}-*`)) await redis.unlink(...keys);
    } finally {
      redis.disconnect();
    }
  }
}

/** The keys of one run. */
export class RedisRun {
  readonly redis: Redis;
  readonly prefix: string;
  readonly #topics: Variant['topics'];

  constructor(redis: Redis, prefix: string, topics: Variant['topics']) {
    this.redis = redis;
    this.prefix = prefix;
    this.#topics = topics;
  }

  /** What sinks in the slot keep, those of one partition together. */
  async results(sinks: Iterable<string>): Promise<Record<string, unknown[]>> {
    const results: Record<string, unknown[]> = {};
    for (const sink of sinks) {
      const entries = await Promise.all(this.#keysOf(sink).map((key) => this.redis.xrange(key, '-', '+')));
      results[sink] = entries.flat().map(([, fields]) => resultOf(fields));
    }
    return results;
  }

  /** True when no task of a job has been acquired. */
  async untouched(): Promise<boolean> {
    for await (const _keys of portions(this.redis, `${this.prefix}:*:t:${JOB}:*`)) return false;
    return true;
  }

  #keysOf(sink: string): string[] {
    return Object.entries(this.#topics).flatMap(([topic, partitions]) => {
      const keys = new TopicKeys({ topic, shards: partitions, prefix: this.prefix });
      return Array.from({ length: partitions }, (_, at) => `${keys.partition(at).log}:k:${JOB}:${sink}`);
    });
  }
}

/** The keys with names like this, never none at once. */
async function* portions(redis: Redis, match: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', match, 'COUNT', PORTION);
    cursor = next;
    if (keys.length > 0) yield keys;
  } while (cursor !== '0');
}
