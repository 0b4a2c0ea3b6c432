import {
  type Codec,
  type MapState,
  type MapStateDescriptor,
  type OpenContext,
  RsError,
  type ValueState,
  mapState,
  valueState,
} from '@rs/core';
import { type HeldEntry, type MatcherDocument, documentHead, load } from '../matcher/document.ts';
import { Engine } from '../matcher/engine.ts';
import type { Limits } from '../matcher/options.ts';
import type { Run } from '../matcher/run.ts';
import type { Program } from '../program/program.ts';
import { opened } from './opened.ts';
import type { PatternChangePolicy } from './options.ts';

/** What a matcher knows besides events and runs. A new object with every change, never changed itself. */
export interface StoredHead {
  /** Fingerprint of the pattern. */
  readonly pattern: string;
  readonly nextSeq: number;
  readonly nextRun: number;
  readonly earliest: number | null;
  readonly held: readonly HeldEntry[];
}

/** As `RunEntry`, under its id and with the time of its event. */
export type StoredRun = readonly [
  parent: number,
  stage: number,
  seq: number,
  timestamp: number,
  matched: 0 | 1,
  alternatives: readonly string[],
];

export interface StoredMatchersOptions<T> {
  readonly program: Program;
  readonly limits: Limits;
  readonly codec: Codec<T> | undefined;
  /** Matchers that stay in memory. */
  readonly capacity: number;
  readonly onPatternChange: PatternChangePolicy;
}

interface States<T> {
  readonly head: ValueState<StoredHead | undefined>;
  readonly events: MapState<number, T>;
  readonly runs: MapState<number, StoredRun>;
}

const HEAD = valueState<StoredHead>('cep.head');
const RUNS = mapState<number, StoredRun>('cep.runs');

/**
 * The matchers of all keys, which live in keyed state. Only what changes is written; the matchers used last stay in memory.
 *
 * Invariant: a matcher in memory is found only by the very object that the state of its key was given with the matcher's last change.
 * Whatever undoes or replaces that state, a failed batch or another owner of the partition, brings another object, and the matcher is
 * made again from what is stored. Of an event that changed nothing, only the count of events may be ahead, which nothing
 * depends on.
 */
export class StoredMatchers<T> {
  readonly #options: StoredMatchersOptions<T>;
  readonly #eventsDescriptor: MapStateDescriptor<number, T>;
  #declared: States<T> | undefined;
  /** The one used last comes last. */
  readonly #inMemory = new Map<StoredHead, Engine>();
  /** One that has nothing, for the keys that have nothing. */
  #spare: Engine | undefined;

  constructor(options: StoredMatchersOptions<T>) {
    this.#options = options;
    const { codec } = options;
    this.#eventsDescriptor = mapState('cep.events', codec === undefined ? {} : { codec });
  }

  declare(ctx: OpenContext): void {
    this.#declared = {
      head: ctx.state(HEAD),
      events: ctx.state(this.#eventsDescriptor),
      runs: ctx.state(RUNS),
    };
  }

  /**
   * The matcher of the current key. It belongs to the caller until it is {@link put} back; where that does not happen, because
   * something failed, nobody sees it again.
   *
   * @throws RsError `RS_PATTERN_MISMATCH`
   */
  take(): Engine {
    const head = this.#states.head.value();
    if (head === undefined) {
      const spare = this.#spare ?? this.#empty();
      this.#spare = undefined;
      return spare;
    }
    const engine = this.#inMemory.get(head);
    if (engine !== undefined) {
      this.#inMemory.delete(head);
      return engine;
    }
    return this.#make(head);
  }

  /** Writes what has changed. */
  put(engine: Engine): void {
    const { head, events, runs } = this.#states;
    const stored = head.value();
    const { changes } = engine;
    if (engine.isEmpty) {
      if (stored !== undefined) this.#clear();
      engine.renew();
      engine.collected();
      this.#spare = engine;
      return;
    }
    if (stored !== undefined && !engine.hasChanged) {
      this.#keep(stored, engine);
      return;
    }
    for (const seq of changes.removedEvents) events.remove(seq);
    for (const [seq, { event }] of changes.storedEvents) events.put(seq, event as T);
    for (const id of changes.removedRuns) runs.remove(id);
    for (const [id, run] of changes.changedRuns) runs.put(id, storedRun(run));
    const next: StoredHead = documentHead(engine);
    head.update(next);
    engine.collected();
    this.#keep(next, engine);
  }

  get #states(): States<T> {
    return opened(this.#declared);
  }

  #keep(head: StoredHead, engine: Engine): void {
    this.#inMemory.set(head, engine);
    if (this.#inMemory.size <= this.#options.capacity) return;
    for (const oldest of this.#inMemory.keys()) {
      this.#inMemory.delete(oldest);
      return;
    }
  }

  #clear(): void {
    const { head, events, runs } = this.#states;
    events.clear();
    runs.clear();
    head.clear();
  }

  #empty(): Engine {
    const engine = new Engine(this.#options.program, this.#options.limits);
    engine.track();
    return engine;
  }

  #make(head: StoredHead): Engine {
    const { program, limits, onPatternChange } = this.#options;
    const engine = new Engine(program, limits);
    engine.foreign = head.pattern !== program.fingerprint;
    if (engine.foreign && onPatternChange === 'fail') throw mismatch(head.pattern, program.fingerprint);
    const document = this.#document(head);
    if (document === undefined || (engine.foreign && onPatternChange === 'clear')) {
      this.#clear();
      engine.foreign = false;
    } else {
      load(engine, document);
    }
    engine.track();
    return engine;
  }

  /** `undefined` when a part of it has expired. */
  #document(head: StoredHead): MatcherDocument<unknown> | undefined {
    const { events, runs } = this.#states;
    // Where the job gives state a time to live, each of the parts has its own.
    if (events.isEmpty() || runs.isEmpty()) return undefined;
    const stored = [...runs.entries()].sort(([a], [b]) => a - b);
    const times = new Map(stored.map(([, [, , seq, timestamp]]) => [seq, timestamp]));
    return {
      format: 1,
      ...head,
      events: [...events.entries()].map(([seq, event]) => [seq, times.get(seq) ?? NaN, event] as const),
      runs: stored.map(
        ([id, [parent, stage, seq, , matched, alternatives]]) =>
          [id, parent, stage, seq, matched, alternatives] as const,
      ),
    };
  }
}

function storedRun(run: Run): StoredRun {
  const alternatives = run.moves.moves.map(({ key }) => key);
  const { event, stage, parent, matched } = run;
  return [parent?.id ?? -1, stage, event.seq, event.timestamp, matched ? 1 : 0, alternatives];
}

function mismatch(stored: string, expected: string): RsError {
  return new RsError(
    'RS_PATTERN_MISMATCH',
    "PatternProcessFunction: what has begun is of a pattern with another structure; give the changed pattern another uid, or choose onPatternChange: 'clear' to give up what has begun, or 'ignore' where its stages are the same",
    { details: { stored, expected } },
  );
}
