import {
  type Codec,
  type MapStateDescriptor,
  type OpenContext,
  RsError,
  mapState,
  valueState,
} from '@rs/core';
import { type MatcherDocument, documentHead, load } from '../matcher/document.ts';
import { MatcherCore } from '../matcher/matcher-core.ts';
import type { Limits } from '../matcher/options.ts';
import type { Run } from '../matcher/run.ts';
import type { Program } from '../program/program.ts';
import type { PatternChangePolicy } from './options.ts';

/** What a matcher knows besides events and runs. A new object with every change, never changed itself. */
export interface StoredHead {
  /** Fingerprint of the pattern. */
  readonly pattern: string;
  readonly nextSeq: number;
  readonly nextRun: number;
  readonly earliest: number | null;
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

/** A match that waits, under the id of its run. */
export type StoredHeld = readonly [timestamp: number, order: number];

type StateContext = Pick<OpenContext, 'state'>;

const HEAD = valueState<StoredHead>('cep.head');
const RUNS = mapState<number, StoredRun>('cep.runs');
const HELD = mapState<number, StoredHeld>('cep.held');

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
  /** The one used last comes last. */
  readonly #inMemory = new Map<StoredHead, MatcherCore>();
  /** One that has nothing, for the keys that have nothing. */
  #spare: MatcherCore | undefined;

  constructor(options: StoredMatchersOptions<T>) {
    this.#options = options;
    const { codec } = options;
    this.#eventsDescriptor = mapState('cep.events', codec === undefined ? {} : { codec });
  }

  declare(ctx: OpenContext): void {
    for (const descriptor of [HEAD, this.#eventsDescriptor, RUNS, HELD]) ctx.state(descriptor);
  }

  /**
   * The matcher of the current key. It belongs to the caller until it is {@link put} back; where that does not happen, because
   * something failed, nobody sees it again.
   *
   * @throws RsError `RS_PATTERN_MISMATCH`
   */
  take(ctx: StateContext): MatcherCore {
    const head = ctx.state(HEAD).value();
    if (head === undefined) {
      const spare = this.#spare ?? this.#empty();
      this.#spare = undefined;
      return spare;
    }
    const core = this.#inMemory.get(head);
    if (core !== undefined) {
      this.#inMemory.delete(head);
      return core;
    }
    return this.#make(ctx, head);
  }

  /** Writes what has changed. */
  put(ctx: StateContext, core: MatcherCore): void {
    const head = ctx.state(HEAD);
    const stored = head.value();
    if (core.isEmpty) {
      if (stored !== undefined) this.#clear(ctx);
      core.renew();
      core.collected();
      this.#spare = core;
      return;
    }
    if (stored !== undefined && !core.hasChanged) {
      this.#keep(stored, core);
      return;
    }
    this.#write(ctx, core);
    const next: StoredHead = documentHead(core);
    head.update(next);
    core.collected();
    this.#keep(next, core);
  }

  #write(ctx: StateContext, { changes, held }: MatcherCore): void {
    const [events, runs] = [ctx.state(this.#eventsDescriptor), ctx.state(RUNS)];
    for (const seq of changes.removedEvents) events.remove(seq);
    for (const [seq, { event }] of changes.storedEvents) events.put(seq, event as T);
    for (const id of changes.removedRuns) runs.remove(id);
    for (const [id, run] of changes.changedRuns) runs.put(id, storedRun(run));
    if (!held.hasChanged) return;
    const waiting = ctx.state(HELD);
    for (const id of held.removed) waiting.remove(id);
    for (const [id, { timestamp, order }] of held.added) waiting.put(id, [timestamp, order]);
  }

  #keep(head: StoredHead, core: MatcherCore): void {
    this.#inMemory.set(head, core);
    if (this.#inMemory.size <= this.#options.capacity) return;
    for (const oldest of this.#inMemory.keys()) {
      this.#inMemory.delete(oldest);
      return;
    }
  }

  #clear(ctx: StateContext): void {
    for (const descriptor of [this.#eventsDescriptor, RUNS, HELD]) ctx.state(descriptor).clear();
    ctx.state(HEAD).clear();
  }

  #empty(): MatcherCore {
    const core = new MatcherCore(this.#options.program, this.#options.limits);
    core.track();
    return core;
  }

  #make(ctx: StateContext, head: StoredHead): MatcherCore {
    const { program, limits, onPatternChange } = this.#options;
    const core = new MatcherCore(program, limits);
    core.foreign = head.pattern !== program.fingerprint;
    if (core.foreign && onPatternChange === 'fail') throw mismatch(head.pattern, program.fingerprint);
    const document = this.#document(ctx, head);
    if (document === undefined || (core.foreign && onPatternChange === 'clear')) {
      this.#clear(ctx);
      core.foreign = false;
    } else {
      load(core, document);
    }
    core.track();
    return core;
  }

  /** `undefined` when a part of it has expired. */
  #document(ctx: StateContext, head: StoredHead): MatcherDocument<unknown> | undefined {
    const [events, runs] = [ctx.state(this.#eventsDescriptor), ctx.state(RUNS)];
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
      held: Array.from(
        ctx.state(HELD).entries(),
        ([id, [timestamp, order]]) => [id, timestamp, order] as const,
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
