import { encodeKey } from './key-encoding.ts';

/**
 * A map from keys (by value) to entries. Strings, numbers, bigints and booleans are looked up as they are, the fast
 * case; arrays, objects and bytes by their canonical text, in a map of their own so that no text key can meet them.
 */
export class KeyMap<E> {
  readonly #primitives = new Map<unknown, E>();
  readonly #composites = new Map<string, E>();

  get(key: unknown): E | undefined {
    return typeof key === 'object' ? this.#composites.get(encodeKey(key)) : this.#primitives.get(key);
  }

  set(key: unknown, entry: E): void {
    if (typeof key === 'object') this.#composites.set(encodeKey(key), entry);
    else this.#primitives.set(key, entry);
  }

  delete(key: unknown): boolean {
    return typeof key === 'object' ? this.#composites.delete(encodeKey(key)) : this.#primitives.delete(key);
  }

  clear(): void {
    this.#primitives.clear();
    this.#composites.clear();
  }

  get size(): number {
    return this.#primitives.size + this.#composites.size;
  }

  *values(): IterableIterator<E> {
    yield* this.#primitives.values();
    yield* this.#composites.values();
  }
}
