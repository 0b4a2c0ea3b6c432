import { RsError } from '@rs/core';
import type { RedisClient, RedisReply, TopicKeys } from '@rs/redis';
import { readDeadLetters, removeDeadLetters, replayDeadLetters } from '../lua/scripts.generated.ts';
import { type StoredDeadLetter, storedDeadLetter } from './stored-dead-letter.ts';

export interface ReadRequest {
  readonly after: string;
  /** `''`: up to the last one there is now. */
  readonly last: string;
  readonly count: number;
  readonly budget: number;
  readonly group: string;
  readonly reason: string;
  readonly parts: 'all' | 'facts';
}

export interface DeadLetterPage {
  readonly last: string;
  /** Where the next page begins; `undefined` at the end. */
  readonly next: string | undefined;
  readonly looked: number;
  readonly found: readonly StoredDeadLetter[];
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What Redis knows of the dead letters of one topic: scripts and replies, nothing decided. */
export class DeadLetterStore {
  readonly #client: RedisClient;
  readonly #keys: TopicKeys;

  constructor(client: RedisClient, keys: TopicKeys) {
    this.#client = client;
    this.#keys = keys;
  }

  async read(partition: number, request: ReadRequest, options: CallOptions = {}): Promise<DeadLetterPage> {
    const { deadLetters: dead } = this.#keys.partition(partition);
    const call = readDeadLetters({ keys: { dead }, args: request });
    const reply = await this.#client.run(call, { ...signalOf(options), binary: true });
    if (!Array.isArray(reply)) throw unexpected('read-dead-letters', reply);
    const [last, next, looked, found] = reply as readonly RedisReply[];
    if (!Buffer.isBuffer(last) || !Buffer.isBuffer(next) || !Array.isArray(found)) {
      throw unexpected('read-dead-letters', reply);
    }
    return {
      last: last.toString('latin1'),
      next: next.length === 0 ? undefined : next.toString('latin1'),
      looked: Number(looked),
      found: (found as readonly RedisReply[]).flatMap((each) => storedDeadLetter(partition, each) ?? []),
    };
  }

  /**
   * @param request id of this call, so that it counts once when it is sent again
   * @returns how many were moved
   * @throws RsError `RS_GROUP_OF_JOB`
   */
  async replay(
    partition: number,
    { group, ids, request }: { group: string; ids: readonly string[]; request: string },
    options: CallOptions = {},
  ): Promise<number> {
    const keys = this.#keys.partition(partition);
    const { redelivery, lease } = keys.group(group);
    const call = replayDeadLetters({
      keys: { dead: keys.deadLetters, redelivery, request: keys.request(request), lease },
      args: { group, ids },
    });
    const reply = await this.#client.run(call, signalOf(options));
    if (typeof reply === 'string') throw jobsAreNotReplayed(this.#keys.topic, group, reply);
    return Number(reply);
  }

  /** @returns how many were removed */
  async remove(
    partition: number,
    { ids, request }: { ids: readonly string[]; request: string },
    options: CallOptions = {},
  ): Promise<number> {
    const keys = this.#keys.partition(partition);
    const call = removeDeadLetters({
      keys: { dead: keys.deadLetters, request: keys.request(request) },
      args: { ids },
    });
    return Number(await this.#client.run(call, signalOf(options)));
  }

  async count(partition: number): Promise<number> {
    const key = this.#keys.partition(partition).deadLetters;
    return Number(await this.#client.command({ name: 'XLEN', args: [key] }, { key }));
  }
}

/** A job goes by its place in the topic, and by nothing else: what it was given besides would never be read. */
function jobsAreNotReplayed(topic: string, group: string, job: string): RsError {
  return new RsError(
    'RS_GROUP_OF_JOB',
    `group '${group}' of topic '${topic}' belongs to the job '${job}', and jobs are not given dead letters again; ` +
      'send the message anew with a producer, then remove the dead letter',
    { details: { topic, group, job } },
  );
}

function signalOf({ signal }: CallOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function unexpected(what: string, reply: RedisReply): RsError {
  return new RsError('RS_REDIS_REPLY', `${what} got a reply that cannot be read`, { details: { reply } });
}
