import type { PatternSequenceMatcher } from '../pattern-sequence-matcher.ts';

interface Entry<T> {
  readonly document: string;
  readonly matcher: PatternSequenceMatcher<T>;
}

/**
 * Matchers by key, each with the document that its partial matches were written as, in the order in which they were put.
 *
 * Only the document decides whether a matcher still is the state of its key: after a batch that was undone, or one that another
 * process has committed, the state has another one. So a matcher is here only while it is what its document says: who changes it
 * takes it out before.
 */
export class MatcherCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #maxKeys: number;
  readonly #onEvicted: (key: string, document: string) => void;

  /** @param maxKeys 0 for no limit */
  constructor(maxKeys: number, onEvicted: (key: string, document: string) => void) {
    this.#maxKeys = maxKeys === 0 ? Infinity : maxKeys;
    this.#onEvicted = onEvicted;
  }

  /** Takes a key's matcher out; `undefined` when there is none for this document. */
  take(key: string, document: string | undefined): PatternSequenceMatcher<T> | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry?.document === document ? entry?.matcher : undefined;
  }

  /** Puts a key's matcher in as the newest, and evicts the one that was put longest ago when there are too many. */
  put(key: string, document: string, matcher: PatternSequenceMatcher<T>): void {
    this.#entries.set(key, { document, matcher });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxKeys) break;
      this.#entries.delete(oldest);
      this.#onEvicted(oldest, entry.document);
    }
  }
}
