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
   */
  async replay(
    partition: number,
    { group, ids, request }: { group: string; ids: readonly string[]; request: string },
    options: CallOptions = {},
  ): Promise<number> {
    const keys = this.#keys.partition(partition);
    const call = replayDeadLetters({
      keys: {
        dead: keys.deadLetters,
        redelivery: keys.group(group).redelivery,
        request: keys.request(request),
      },
      args: { group, ids },
    });
    return Number(await this.#client.run(call, signalOf(options)));
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

function signalOf({ signal }: CallOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function unexpected(what: string, reply: RedisReply): RsError {
  return new RsError('RS_REDIS_REPLY', `${what} got a reply that cannot be read`, { details: { reply } });
}
