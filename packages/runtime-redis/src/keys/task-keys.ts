import { checkName } from '@rs/core';
import { TopicKeys, type PartitionKeys } from '@rs/redis';
import { safeEnd, safeName } from './safe-name.ts';
import type { TaskPlace } from './task-place.ts';

/** The keys of one declared state of a task. */
export interface StateKeys {
  /** HASH per shard: field → value; where the state keeps collections, the marks of those that there are. */
  readonly shards: readonly string[];
  /** HASH: the elements of one collection, or of one large map. `field`: what names it in the shard. */
  collection(field: string): string;
  /** ZSET: the namespaces of one large map, all with score 0, so that they can be paged in the order of their bytes. */
  index(field: string): string;
}

/**
 * The keys of a task. All lie in the slot of its partition, so that one script changes any of them at once; `P` is the key of the
 * partition's log, and `T` is `P:t:<job>:<task>`.
 *
 * | key | type | content |
 * |---|---|---|
 * | `T:own` | HASH | lease: token, owner, epoch, until; what is known of crashes and of entries that were lost unread |
 * | `T:meta` | HASH | the last commit: seq, offset, operators, cursors; gen, until |
 * | `T:s:<op>:<state>:<shard>` | HASH | values, marks of collections |
 * | `T:m:<op>:<state>:<key>` | HASH | elements of a collection |
 * | `T:mx:<op>:<state>:<key>` | ZSET | namespaces of a large map |
 * | `T:et:<op>:<shard>`, `T:pt:…` | ZSET | timers of event time, of processing time |
 * | `T:out:<sink>` | STREAM | results on their way to a sink |
 * | `T:ack` | STRING | the last mark that a replica was to confirm, for a minute |
 * | `P:k:<job>:<name>` | as the sink | what sinks in the slot keep |
 *
 * Keys are built once and then only read: nothing is put together per record but what names a collection.
 *
 * @throws RsError `RS_INVALID_NAME` for a job or task that is no name
 */
export class TaskKeys {
  readonly partition: PartitionKeys;
  readonly own: string;
  readonly meta: string;
  /** STRING: a mark behind the last commit, for a replica to confirm. */
  readonly ack: string;
  /** Field of `P:holds`: what the task still needs of the log. */
  readonly hold: string;
  /** HASH: the lease that plain consumers of the group would have. */
  readonly group: string;
  readonly #root: string;
  readonly #kept: string;
  readonly #shards: number;
  readonly #states = new Map<string, Map<string, StateKeys>>();
  readonly #timers = {
    event: new Map<string, readonly string[]>(),
    processing: new Map<string, readonly string[]>(),
  };

  constructor({ prefix, job, task, topic, topicShards, partition, group, stateShards }: TaskPlace) {
    checkName(job, 'a job');
    checkName(task, 'the id of a source');
    this.partition = new TopicKeys({ topic, shards: topicShards, prefix }).partition(partition);
    const { log } = this.partition;
    this.#root = `${log}:t:${job}:${task}`;
    this.#kept = `${log}:k:${job}`;
    this.#shards = stateShards;
    this.own = `${this.#root}:own`;
    this.meta = `${this.#root}:meta`;
    this.ack = `${this.#root}:ack`;
    this.hold = `t:${job}:${task}`;
    this.group = this.partition.group(group).lease;
  }

  /** STREAM: the partition's log. */
  get log(): string {
    return this.partition.log;
  }

  /** HASH: what retention must keep of the log. */
  get holds(): string {
    return this.partition.holds;
  }

  /** STREAM: the dead letters of all groups and jobs. */
  get deadLetters(): string {
    return this.partition.deadLetters;
  }

  state(operator: string, state: string): StateKeys {
    let states = this.#states.get(operator);
    if (states === undefined) this.#states.set(operator, (states = new Map<string, StateKeys>()));
    let keys = states.get(state);
    if (keys === undefined) states.set(state, (keys = this.#stateKeys(operator, state)));
    return keys;
  }

  /** ZSET per shard: the timers of one operator and one kind of time. */
  timers(operator: string, kind: 'event' | 'processing'): readonly string[] {
    const known = this.#timers[kind];
    let keys: readonly string[] | undefined = known.get(operator);
    if (keys === undefined) {
      const start = `${this.#root}:${kind === 'event' ? 'et' : 'pt'}:${safeName(operator)}`;
      known.set(operator, (keys = numbered(start, this.#shards)));
    }
    return keys;
  }

  /** STREAM: results that are fed to a sink outside of the slot. */
  out(sink: string): string {
    return `${this.#root}:out:${safeName(sink)}`;
  }

  /** What a sink in the slot keeps on this partition. It stays when the job is gone. */
  kept(name: string): string {
    return `${this.#kept}:${checkName(name, 'the name of a sink')}`;
  }

  #stateKeys(operator: string, state: string): StateKeys {
    const name = `${safeName(operator)}:${safeName(state)}`;
    return {
      shards: numbered(`${this.#root}:s:${name}`, this.#shards),
      collection: (field) => `${this.#root}:m:${name}:${safeEnd(field)}`,
      index: (field) => `${this.#root}:mx:${name}:${safeEnd(field)}`,
    };
  }
}

function numbered(start: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, shard) => `${start}:${shard}`);
}
