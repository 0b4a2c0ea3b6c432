import type { RedisArgument, RedisReply, ScriptCall } from '@rs/redis';
import { type ModelGroup, ModelStream } from './model-stream.ts';

/** Keys and values of a Redis, as far as consumers use them. */
export class ModelRedis {
  readonly streams = new Map<string, ModelStream>();
  readonly hashes = new Map<string, Map<string, string>>();
  readonly sortedSets = new Map<string, Map<string, number>>();
  /** Told of each stream that an entry was added to. */
  onAdd: (key: string) => void = () => undefined;
  readonly #now: () => number;

  /** @param now time of the server in epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  stream(key: string): ModelStream {
    return made(this.streams, key, () => new ModelStream());
  }

  group(stream: string, name: string): ModelGroup | undefined {
    return this.streams.get(stream)?.groups.get(name);
  }

  hash(key: string): Map<string, string> {
    return made(this.hashes, key, () => new Map<string, string>());
  }

  sortedSet(key: string): Map<string, number> {
    return made(this.sortedSets, key, () => new Map<string, number>());
  }

  add(key: string, fields: readonly (string | Buffer)[], id?: string): string {
    const added = this.stream(key).add(
      fields.map((field) => Buffer.from(field)),
      this.now,
      id,
    );
    this.onAdd(key);
    return added;
  }

  delete(...keys: readonly string[]): void {
    for (const key of keys) {
      this.streams.delete(key);
      this.hashes.delete(key);
      this.sortedSets.delete(key);
    }
  }

  flush(): void {
    this.delete(...this.streams.keys(), ...this.hashes.keys(), ...this.sortedSets.keys());
  }
}

function made<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** Arguments of a call in turn. */
export class Arguments {
  readonly #args: readonly RedisArgument[];
  #at = 0;

  constructor({ args }: ScriptCall) {
    this.#args = args;
  }

  get left(): number {
    return this.#args.length - this.#at;
  }

  bytes(): Buffer {
    const value = this.#args[this.#at++];
    if (value === undefined) throw new Error('the call has too few arguments');
    return typeof value === 'number' ? Buffer.from(String(value)) : Buffer.from(value);
  }

  text(): string {
    return this.bytes().toString();
  }

  number(): number {
    const value = Number(this.text());
    if (!Number.isInteger(value)) throw new Error(`the call has ${value} where an integer belongs`);
    return value;
  }

  /** The rest. */
  texts(count = this.left): string[] {
    return Array.from({ length: count }, () => this.text());
  }
}

/** A reply in which all strings are text, or all are bytes. */
export function replyAs(reply: RedisReply, binary: boolean): RedisReply {
  if (Array.isArray(reply)) return (reply as readonly RedisReply[]).map((each) => replyAs(each, binary));
  if (typeof reply === 'string') return binary ? Buffer.from(reply) : reply;
  return Buffer.isBuffer(reply) && !binary ? reply.toString() : reply;
}
