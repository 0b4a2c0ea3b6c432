import { fingerprint } from './fingerprint.ts';

/** Far more documents than the records of the batches that can still be undone. */
const REMEMBERED = 10_000;

/**
 * The documents of evicted keys. They lie in the state of these keys, which cannot be written from another key's record, and
 * must not be read from there again.
 *
 * A key that comes back overwrites its document. Its tombstone stays for a while all the same: the record may be undone, and
 * then the document is there again. It goes when the key writes the very same document anew, and with a restart.
 */
export class Tombstones {
  /** Numbers in place of texts: what eviction takes out of memory must not stay there in another form. */
  readonly #dead = new Set<number>();
  /** Those of keys that have come back, in that order. */
  readonly #overwritten = new Set<number>();

  bury(key: string, document: string): void {
    this.#dead.add(mark(key, document));
  }

  /** For a key that comes back: whether the document that it finds is dead. */
  isDead(key: string, document: string): boolean {
    if (this.#dead.size === 0) return false;
    const found = mark(key, document);
    if (!this.#dead.has(found)) return false;
    this.#overwritten.delete(found);
    this.#overwritten.add(found);
    for (const oldest of this.#overwritten) {
      if (this.#overwritten.size <= REMEMBERED) break;
      this.#forget(oldest);
    }
    return true;
  }

  /** The key has written the document, so that is alive. */
  written(key: string, document: string): void {
    if (this.#dead.size > 0) this.#forget(mark(key, document));
  }

  #forget(found: number): void {
    this.#dead.delete(found);
    this.#overwritten.delete(found);
  }
}

function mark(key: string, document: string): number {
  return fingerprint(`${key} ${document}`);
}
