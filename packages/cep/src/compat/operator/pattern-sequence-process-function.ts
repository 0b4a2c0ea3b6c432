import {
  type Collector,
  type KeyedProcessFunction,
  type OpenContext,
  type ProcessContext,
  checkObject,
  valueState,
} from '@rs/core';
import { checkCount, invalidArgument } from '../check.ts';
import { EventSequence } from '../event-sequence.ts';
import { type PatternSequence, checkSequence } from '../pattern-sequence.ts';
import { PatternSequenceMatcher } from '../pattern-sequence-matcher.ts';
import { keyText } from './key-text.ts';
import { MatcherCache } from './matcher-cache.ts';
import { type ReviveEvent, restoreDocument, writeDocument } from './state-document.ts';
import { Tombstones } from './tombstones.ts';

/** Default of the third argument of {@link PatternSequenceProcessFunction}. */
export const DEFAULT_MAX_TRACKED_KEYS = 10_000;

export interface PatternSequenceProcessOptions<T> {
  /**
   * Makes an event of what JSON gives back, for events with dates, instances of classes and the like. Default: events are
   * plain data, and one that is not is refused with `RS_INVALID_VALUE` as soon as it would be stored.
   */
  readonly reviveEvent?: ReviveEvent<T>;
}

/** Fixed: a document is found again after a restart by this name. The original's has colons, which names of states cannot have. */
const PARTIALS = valueState<string>('__operator.cep.partials');

/**
 * A {@link PatternSequenceMatcher} for each key, for `keyed.process(…)`: emits an {@link EventSequence} for each match.
 *
 * What has begun is written to the state of the key with each record, as a JSON document. It is whole after a restart; a record
 * that is given twice counts twice. There are no timers: `within` ends what has begun when the key's next event comes.
 *
 * **Eviction loses what has begun**, as in the original: beyond `maxTrackedKeys` keys with partial matches, those of the key
 * that was touched longest ago are lost, and matches with them. Choose the limit by the number of keys, or 0.
 *
 * One object may serve several partitions.
 */
export class PatternSequenceProcessFunction<K, T> implements KeyedProcessFunction<K, T, EventSequence<T>> {
  readonly #sequence: PatternSequence<T>;
  readonly #timestampOf: ((event: T) => number) | undefined;
  readonly #revive: ReviveEvent<T> | undefined;
  /*
   * Cache and tombstones are in memory, but a batch may be undone and given again, and another process may go on in between. They
   * never outlive what they stand for, because both are about a key and a document, and the state says which document the key
   * has now:
   *
   * - A cached matcher is used only with the document that it was written as. After an undo the state has an older one, and the
   *   matcher is made of that.
   * - A tombstone holds for the document that the key had when it was evicted. An older one, of before a batch that was undone, is
   *   not dead: then, the key had not been evicted. The dead one stays dead when the record that has overwritten it is undone.
   * - A key without partial matches has no document, so there is neither for it.
   *
   * What an undo leaves behind is that keys count as touched by records that were undone, until they come again. That may decide
   * which key is evicted, but not what is found for a key that is not.
   *
   * Only keys that have partial matches are in the cache. The original also counts those that have none, but evicts them first, and
   * nothing is lost with them. So there as here, a key with partial matches is evicted when there are more than `maxTrackedKeys`
   * of those, and it is the one that was touched longest ago.
   */
  readonly #cache: MatcherCache<T>;
  readonly #tombstones = new Tombstones();

  /**
   * @param timestampExtractor time of an event in epoch milliseconds; left out, it is the processing time
   * @param maxTrackedKeys keys with partial matches, over all partitions that this object serves; 0 for no limit. Default 10,000
   * @throws RsError `RS_INVALID_PATTERN` for a sequence without steps, `RS_INVALID_ARGUMENT`
   */
  constructor(
    sequence: PatternSequence<T>,
    timestampExtractor?: (event: T) => number,
    maxTrackedKeys: number = DEFAULT_MAX_TRACKED_KEYS,
    options: PatternSequenceProcessOptions<T> = {},
  ) {
    checkObject(options, 'PatternSequenceProcessFunction: options');
    checkFunction(timestampExtractor, 'timestampExtractor');
    checkFunction(options.reviveEvent, 'options.reviveEvent');
    checkCount(maxTrackedKeys, 0, 'PatternSequenceProcessFunction: maxTrackedKeys');
    checkSequence(sequence, 'PatternSequenceProcessFunction');
    // All matchers, also those that are made later, follow the same steps.
    this.#sequence = sequence.copy();
    this.#timestampOf = timestampExtractor;
    this.#revive = options.reviveEvent;
    this.#cache = new MatcherCache(maxTrackedKeys, (key, document) => this.#tombstones.bury(key, document));
  }

  open(ctx: OpenContext): void {
    ctx.state(PARTIALS);
  }

  processElement(key: K, value: T, ctx: ProcessContext<K>, out: Collector<EventSequence<T>>): void {
    const state = ctx.state(PARTIALS);
    const stored = state.value();
    const id = keyText(key);
    const matcher = this.#cache.take(id, stored) ?? this.#hydrated(id, stored);

    const timestamp =
      this.#timestampOf === undefined ? ctx.currentProcessingTime() : this.#timestampOf(value);
    for (const { events, startTs, endTs } of matcher.process(value, timestamp)) {
      out.collect(new EventSequence(events, startTs, endTs));
    }

    if (matcher.partialMatchCount === 0) {
      if (stored !== undefined) state.clear();
      return;
    }
    const document = writeDocument(matcher.exportPartialMatches(), this.#revive !== undefined);
    if (document !== stored) state.update(document);
    this.#tombstones.written(id, document);
    this.#cache.put(id, document, matcher);
  }

  #hydrated(id: string, stored: string | undefined): PatternSequenceMatcher<T> {
    const matcher = new PatternSequenceMatcher(this.#sequence, 0);
    if (stored !== undefined && !this.#tombstones.isDead(id, stored)) {
      restoreDocument(matcher, stored, this.#revive);
    }
    return matcher;
  }
}

function checkFunction(value: unknown, what: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw invalidArgument(`PatternSequenceProcessFunction: ${what} must be a function`, what, value);
}
