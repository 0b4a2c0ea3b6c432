import type { LargeMapState, LargeMapStateDescriptor } from '@rs/core';
import { silence } from '../promise.ts';
import type { StateAccess } from './access.ts';
import { elementKey, ItemFormat } from './format.ts';
import { encodeKey } from './key-encoding.ts';
import { LargeMap } from './large-map.ts';

/** A large map as users see it. What it reads belongs to the record that is current at the call. */
export class LargeMapHandle<K, V> implements LargeMapState<K, V> {
  readonly #access: StateAccess;
  readonly #item: ItemFormat<V>;

  constructor(descriptor: LargeMapStateDescriptor<K, V>, access: StateAccess) {
    this.#access = access;
    this.#item = new ItemFormat<V>(descriptor);
  }

  get(key: K): Promise<V | undefined> {
    return this.#read(async (map) => (await map.get(encodeKey(key)))?.item);
  }

  contains(key: K): Promise<boolean> {
    return this.#read(async (map) => (await map.get(encodeKey(key))) !== undefined);
  }

  isEmpty(): Promise<boolean> {
    return this.#read((map) => map.isEmpty());
  }

  put(key: K, value: V): void {
    const id = encodeKey(key);
    this.#item.check(value);
    this.#now().put(id, value);
  }

  remove(key: K): void {
    this.#now().remove(encodeKey(key));
  }

  clear(): void {
    this.#now().clear();
  }

  entries(): AsyncIterable<[K, V]> {
    return this.#each((id, value) => [elementKey(id) as K, value]);
  }

  keys(): AsyncIterable<K> {
    return this.#each((id) => elementKey(id) as K);
  }

  values(): AsyncIterable<V> {
    return this.#each((_id, value) => value);
  }

  #now(): LargeMap<V> {
    return new LargeMap(this.#access);
  }

  #read<R>(read: (map: LargeMap<V>) => Promise<R>): Promise<R> {
    const reading = this.#settled(read);
    silence(reading); // One that nobody awaits, and that is rejected since its record is settled, must not end the process.
    return reading;
  }

  async #settled<R>(read: (map: LargeMap<V>) => Promise<R>): Promise<R> {
    const access = this.#access.pin();
    const result = await read(new LargeMap(access));
    access.key(); // On every engine it fails once the record is settled, also where nothing had to be read.
    return result;
  }

  #each<R>(of: (id: string, value: V) => R): AsyncIterable<R> {
    const map = new LargeMap<V>(this.#access.pin());
    return { [Symbol.asyncIterator]: () => map.each(of) };
  }
}
