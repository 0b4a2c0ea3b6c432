import { RsError } from '@rs/core';
import { type RedisClient, type RedisReply, type ScriptCall, TopicKeys, topicsKey } from '@rs/redis';
import { describeTopic, ensureTopic, growTopic } from '../lua/scripts.generated.ts';
import { type TopicInfo, topicInfo } from './topic-info.ts';

export interface TopicStoreOptions {
  readonly client: Pick<RedisClient, 'run' | 'command'>;
  readonly prefix: string;
  /** Fulfilled when the servers were found fit to be used: nothing is asked of them before. Default: they are. */
  readonly ready?: () => Promise<void>;
}

/** What Redis knows of topics: scripts and replies, nothing decided and nothing kept. */
export class TopicStore {
  readonly #client: TopicStoreOptions['client'];
  readonly #prefix: string;
  readonly #ready: (() => Promise<void>) | undefined;

  constructor({ client, prefix, ready }: TopicStoreOptions) {
    this.#client = client;
    this.#prefix = prefix;
    this.#ready = ready;
  }

  /** `undefined` for a topic that does not exist. */
  async read(name: string): Promise<TopicInfo | undefined> {
    const [status, ...facts] = await this.#run(describeTopic({ keys: { meta: this.#meta(name) } }));
    return status === 'UNKNOWN' ? undefined : topicInfo(name, facts);
  }

  /** What the topic has, whether it was created by this or not. */
  async ensure(name: string, counts: { partitions: number; shards: number }): Promise<TopicInfo> {
    const [, ...facts] = await this.#run(ensureTopic({ keys: { meta: this.#meta(name) }, args: counts }));
    return topicInfo(name, facts);
  }

  /** @param request id of this growth, the same when it is tried again */
  async grow(
    name: string,
    partitions: number,
    request: string,
  ): Promise<{ readonly grown: boolean; readonly info: TopicInfo } | undefined> {
    const call = growTopic({ keys: { meta: this.#meta(name) }, args: { partitions, request } });
    const [status, ...facts] = await this.#run(call);
    if (status === 'UNKNOWN') return undefined;
    return { grown: status === 'GROWN', info: topicInfo(name, facts) };
  }

  /** The registry lies in a slot of its own, so it is written after the topic; adding again changes nothing. */
  async register(name: string): Promise<void> {
    const key = topicsKey(this.#prefix);
    await this.#client.command({ name: 'SADD', args: [key, name] }, { key });
  }

  async names(): Promise<readonly string[]> {
    const key = topicsKey(this.#prefix);
    const reply = await this.#client.command({ name: 'SMEMBERS', args: [key] }, { key });
    if (!Array.isArray(reply)) throw unexpected('SMEMBERS', reply);
    return reply.map(String).sort();
  }

  #meta(topic: string): string {
    return new TopicKeys({ topic, shards: 1, prefix: this.#prefix }).meta;
  }

  async #run(call: ScriptCall): Promise<readonly RedisReply[]> {
    if (this.#ready !== undefined) await this.#ready();
    const reply = await this.#client.run(call);
    if (!Array.isArray(reply)) throw unexpected(call.script.name, reply);
    return reply as readonly RedisReply[];
  }
}

function unexpected(what: string, reply: RedisReply): RsError {
  return new RsError('RS_REDIS_REPLY', `${what} got a reply that cannot be read`, { details: { reply } });
}
