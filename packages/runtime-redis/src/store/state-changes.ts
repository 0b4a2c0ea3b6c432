import type { RedisArgument } from '@rs/redis';
import type { ChangeList } from './change-list.ts';
import { orderedBytes } from './ordered-text.ts';

interface Mark {
  readonly shard: string;
  readonly collection: string;
  readonly value: string | Buffer;
}

/**
 * What one batch changes of one declared state, until all of it is known: what goes to one key then goes there with one command.
 *
 * Invariant: keys that go as a whole go first, and marks come last, when it is known which collections there are.
 */
export class StateChanges {
  /** Fields and values, by number of the shard: nearly all changes are of this kind. */
  readonly #values: (RedisArgument[] | undefined)[] = [];
  readonly #unlinked = new Set<string>();
  readonly #put = new Map<string, RedisArgument[]>();
  readonly #removed = new Map<string, RedisArgument[]>();
  readonly #named = new Map<string, RedisArgument[]>();
  readonly #unnamed = new Map<string, RedisArgument[]>();
  readonly #marks = new Map<string, Mark>();

  /** Puts a value into a shard. */
  set(shard: number, field: string, value: string | Buffer): void {
    (this.#values[shard] ??= []).push(orderedBytes(field), value);
  }

  unlink(key: string): void {
    this.#unlinked.add(key);
  }

  put(hash: string, field: string, value: string | Buffer): void {
    valuesOf(this.#put, hash).push(orderedBytes(field), value);
  }

  remove(hash: string, field: string): void {
    valuesOf(this.#removed, hash).push(orderedBytes(field));
  }

  /** Puts a namespace into the index of a large map. */
  name(index: string, namespace: string): void {
    valuesOf(this.#named, index).push('0', orderedBytes(namespace));
  }

  unname(index: string, namespace: string): void {
    valuesOf(this.#unnamed, index).push(orderedBytes(namespace));
  }

  /** A shard has a field for each of its collections, as long as there are elements. */
  mark(shard: string, field: string, collection: string, value: string | Buffer): void {
    this.#marks.set(field, { shard, collection, value });
  }

  /** @param shards keys of the shards */
  addTo(list: ChangeList, shards: readonly string[]): void {
    for (const key of this.#unlinked) list.add('unlink', key, [], 1);
    for (const [shard, key] of shards.entries()) {
      const values = this.#values[shard];
      if (values !== undefined) list.add('hset', key, values, values.length / 2);
    }
    for (const [key, values] of this.#put) list.add('hset', key, values, values.length / 2);
    for (const [key, values] of this.#removed) list.add('hdel', key, values, values.length);
    for (const [key, values] of this.#named) list.add('zadd', key, values, values.length / 2);
    for (const [key, values] of this.#unnamed) list.add('zrem', key, values, values.length);
    const marks = new Map<string, RedisArgument[]>();
    for (const [field, { shard, collection, value }] of this.#marks) {
      valuesOf(marks, shard).push(list.numberOf(collection), orderedBytes(field), value);
    }
    for (const [shard, values] of marks) list.add('mark', shard, values, values.length / 3);
  }
}

function valuesOf(map: Map<string, RedisArgument[]>, key: string): RedisArgument[] {
  let values = map.get(key);
  if (values === undefined) map.set(key, (values = []));
  return values;
}
