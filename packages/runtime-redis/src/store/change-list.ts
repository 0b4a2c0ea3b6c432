import type { RedisArgument } from '@rs/redis';

/** What `commit-task.lua` does to a key. */
export type ChangeType = 'hset' | 'hdel' | 'zadd' | 'zrem' | 'mark' | 'unlink' | 'xadd' | 'append' | 'xtrim';

/** The keys and changes of a commit as flat as the script takes them, while they are put together. */
export class ChangeList {
  readonly keys: string[] = [];
  readonly args: RedisArgument[] = [];
  /** Fields, members and entries. */
  operations = 0;
  bytes = 0;
  readonly #numbers = new Map<string, number>();

  /** The number of a key, from 1. */
  numberOf(key: string): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.push(key);
      this.#numbers.set(key, number);
      this.bytes += key.length;
    }
    return number;
  }

  /** @param operations how many of them the values are */
  add(type: ChangeType, key: string, values: readonly RedisArgument[], operations: number): void {
    this.args.push(type, this.numberOf(key), values.length);
    for (const value of values) {
      this.args.push(value);
      this.bytes += sizeOf(value);
    }
    this.operations += operations;
  }
}

/** Bytes of an argument; of text beyond ASCII about so many. */
function sizeOf(value: RedisArgument): number {
  return typeof value === 'number' ? 8 : value.length;
}
