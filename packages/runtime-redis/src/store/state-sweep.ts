import type { StateKind } from '@rs/core';
import type { RedisReply, ScriptCall } from '@rs/redis';
import type { StateKeys, TaskKeys } from '../keys/task-keys.ts';
import { findExpired, removeExpired, removeExpiredElements } from '../lua/scripts.generated.ts';
import { orderedText } from './ordered-text.ts';
import { bytes, list, text } from './replies.ts';

export interface StateSweepOptions {
  readonly keys: TaskKeys;
  readonly token: string;
  readonly operator: string;
  readonly state: string;
  readonly kind: StateKind;
  /** Makes a call in the owner's name. @throws RsError `RS_LEASE_LOST`; as `RedisClient.run` */
  readonly run: (call: ScriptCall) => Promise<readonly RedisReply[]>;
}

/** A large map whose elements are to be looked through. */
interface OpenMap {
  readonly shard: string;
  readonly mark: Buffer;
  readonly field: string;
  readonly elements: string;
}

/** What a step has done. */
export interface SweepStep {
  /** True when all of the state has been looked through; the next step begins anew. */
  readonly through: boolean;
  /** Fields that it has looked at. */
  readonly seen: number;
  /** Those of them that had expired. */
  readonly expired: number;
}

/** What a walk has found in a part of its hashes. */
interface Found {
  readonly seen: number;
  readonly fields: ReadonlyMap<string, readonly Buffer[]>;
}

/** Fields that one step looks at: about a millisecond of the server, where all of them have expired. */
const COUNT = 1_000;
const START = '0';
/** Instead of a time: every field is wanted. */
const ALL = -1;

/**
 * Removes what has expired of one state, a little with each step: nothing else removes that of keys that never come again.
 *
 * Invariant: to be called while nothing is under way that is not committed. A value that was written anew is then stored with its new
 * time, and both the hash and the memory of the task say what has expired.
 */
export class StateSweep {
  readonly #options: StateSweepOptions;
  readonly #keys: StateKeys;
  readonly #shards: HashWalk;
  /** Of a state of large maps. */
  #maps: { readonly open: readonly OpenMap[]; readonly walk: HashWalk } | undefined;

  constructor(options: StateSweepOptions) {
    this.#options = options;
    this.#keys = options.keys.state(options.operator, options.state);
    this.#shards = new HashWalk(options, this.#keys.shards);
  }

  /**
   * @param now epoch milliseconds, on the clock by which the task knows what has expired
   */
  async step(now: number): Promise<SweepStep> {
    const { seen, fields } = await (this.#options.kind === 'largeMap'
      ? this.#stepMaps(now)
      : this.#stepShards(now));
    let expired = 0;
    for (const some of fields.values()) expired += some.length;
    return { through: this.#shards.atStart && this.#maps === undefined, seen, expired };
  }

  async #stepShards(now: number): Promise<Found> {
    const { kind, keys, token, run } = this.#options;
    const hasCollections = kind === 'map' || kind === 'list' || kind === 'set';
    const found = await this.#shards.step(now);
    const removals = [...found.fields].map(([hash, fields]) => {
      const collections = hasCollections
        ? fields.map((field) => this.#keys.collection(orderedText(field)))
        : [];
      return run(removeExpired({ keys: { own: keys.own, hash, collections }, args: { token, now, fields } }));
    });
    await Promise.all(removals);
    return found;
  }

  async #stepMaps(now: number): Promise<Found> {
    if (this.#maps === undefined) {
      const marks = await this.#shards.step(ALL);
      const open = [...marks.fields].flatMap(([shard, each]) =>
        each.map((mark) => this.#openMap(shard, mark)),
      );
      if (open.length === 0) return { seen: marks.seen, fields: new Map() };
      const walk = new HashWalk(
        this.#options,
        open.map(({ elements }) => elements),
      );
      this.#maps = { open, walk };
    }
    const { open, walk } = this.#maps;
    const found = await walk.step(now);
    const removals = open.flatMap(({ shard, mark, field, elements }) => {
      const fields = found.fields.get(elements);
      if (fields === undefined) return [];
      const { keys, token, run } = this.#options;
      const index = this.#keys.index(field);
      const call = { keys: { own: keys.own, shard, index, elements }, args: { token, now, mark, fields } };
      return [run(removeExpiredElements(call))];
    });
    await Promise.all(removals);
    if (walk.atStart) this.#maps = undefined;
    return found;
  }

  #openMap(shard: string, mark: Buffer): OpenMap {
    const field = orderedText(mark);
    return { shard, mark, field, elements: this.#keys.collection(field) };
  }
}

/** Goes through hashes, one after the other and part by part. */
class HashWalk {
  readonly #options: Pick<StateSweepOptions, 'keys' | 'token' | 'run'>;
  readonly #hashes: readonly string[];
  #next = 0;
  #cursor = START;

  constructor(options: Pick<StateSweepOptions, 'keys' | 'token' | 'run'>, hashes: readonly string[]) {
    this.#options = options;
    this.#hashes = hashes;
  }

  /** True before the first step, and when all has been looked through. */
  get atStart(): boolean {
    return this.#next === 0 && this.#cursor === START;
  }

  /** What is found in the next part, by hash. */
  async step(now: number): Promise<Found> {
    const { keys, token, run } = this.#options;
    const hashes = this.#hashes.slice(this.#next);
    const args = { token, cursor: this.#cursor, count: COUNT, now };
    const [, passed, cursor, seen, flat] = await run(findExpired({ keys: { own: keys.own, hashes }, args }));
    this.#next = (this.#next + Number(passed)) % this.#hashes.length;
    this.#cursor = text(cursor);
    const found = new Map<string, Buffer[]>();
    const pairs = list(flat);
    for (let at = 0; at < pairs.length; at += 2) {
      const hash = hashes[Number(pairs[at])] as string;
      const fields = found.get(hash);
      if (fields === undefined) found.set(hash, [bytes(pairs[at + 1])]);
      else fields.push(bytes(pairs[at + 1]));
    }
    return { seen: Number(seen), fields: found };
  }
}
