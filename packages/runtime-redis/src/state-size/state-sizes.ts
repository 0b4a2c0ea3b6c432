import { type Logger, RsError } from '@rs/core';
import type { CellChange } from '@rs/runtime';
import type { HotKeySettings } from '../options/settings.ts';

export interface StateSizesOptions {
  readonly settings: HotKeySettings;
  /** Key of the hash that a change writes to. */
  readonly hashOf: (change: CellChange) => string;
  /** Number of the fields of a hash. */
  readonly measure: (hash: string) => Promise<number>;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly logger: Logger;
}

interface Hash {
  /** Writes since its size was looked at. */
  writes: number;
  measuring: boolean;
  /** Until when it counts as too large. */
  until: number;
}

/**
 * Watches the hashes that keyed state is spread over. One with too many fields makes copies and failovers slow, so it is told, and the
 * policy may slow the task down or fail its records; for a while, after which it is looked at again.
 *
 * Sizes are looked at after a number of writes and beside the work: a hash may grow on until the answer is there.
 */
export class StateSizes {
  readonly #options: StateSizesOptions;
  readonly #hashes = new Map<string, Hash>();

  constructor(options: StateSizesOptions) {
    this.#options = options;
  }

  /** @throws RsError `RS_STATE_TOO_LARGE` when the policy is `FAIL_FAST` and a change goes to a hash that is too large */
  admit(changes: readonly CellChange[]): void {
    const { settings, hashOf } = this.#options;
    if (!this.#active || settings.policy !== 'FAIL_FAST' || !this.#anyLarge()) return;
    for (const change of changes) {
      const hash = hashOf(change);
      if (!this.#isLarge(hash)) continue;
      const { operator, state } = change.address;
      throw new RsError(
        'RS_STATE_TOO_LARGE',
        `state '${state}' of operator '${operator}' has ${settings.fields} fields or more in one hash (${hash}), and ` +
          'keyedStateHotKeyPolicy is FAIL_FAST; use more shards (keyedStateShardCount), more partitions, or a time to live',
        { details: { operator, state, hash, threshold: settings.fields } },
      );
    }
  }

  /** Milliseconds to wait before the next batch. */
  throttle(): number {
    const { settings } = this.#options;
    return this.#active && settings.policy === 'THROTTLE' && this.#anyLarge() ? settings.throttle : 0;
  }

  /** Changes are on their way; what is asked from now on comes after them. */
  written(changes: readonly CellChange[]): void {
    if (!this.#active) return;
    const { settings, hashOf } = this.#options;
    for (const change of changes) {
      const key = hashOf(change);
      let hash = this.#hashes.get(key);
      if (hash === undefined)
        this.#hashes.set(key, (hash = { writes: 0, measuring: false, until: -Infinity }));
      if (++hash.writes >= settings.everyWrites && !hash.measuring) void this.#look(key, hash);
    }
  }

  get #active(): boolean {
    const { everyWrites, fields } = this.#options.settings;
    return everyWrites > 0 && fields > 0;
  }

  #isLarge(hash: string): boolean {
    return (this.#hashes.get(hash)?.until ?? -Infinity) > this.#options.now();
  }

  #anyLarge(): boolean {
    const now = this.#options.now();
    for (const { until } of this.#hashes.values()) if (until > now) return true;
    return false;
  }

  /** Never rejected: a size that could not be read is looked at with the next write. */
  async #look(key: string, hash: Hash): Promise<void> {
    const { settings, measure, now, logger } = this.#options;
    hash.measuring = true;
    try {
      const fields = await measure(key);
      hash.writes = 0;
      if (fields < settings.fields || hash.until > now()) return;
      hash.until = now() + settings.interval;
      logger.warn(
        { hash: key, fields, threshold: settings.fields, policy: settings.policy },
        `a hash of keyed state has ${fields} fields, where ${settings.fields} are too many; use more shards, more partitions, or a time to live`,
      );
    } catch (error) {
      logger.warn({ hash: key, error }, 'the size of a hash of keyed state could not be read');
    } finally {
      hash.measuring = false;
    }
  }
}
