import { RsError } from '@rs/core';
import type { MoveSet } from '../program/move-set.ts';
import { beforeStage } from './bindings.ts';
import type { MatcherCore } from './matcher-core.ts';
import type { Run, StoredEvent } from './run.ts';

/** The event's position, its time, and the event. */
export type EventEntry<T> = readonly [seq: number, timestamp: number, event: T];

/** A run: which one it continues (-1: none), what it took, whether it was a match, and the ways in which it can go on. */
export type RunEntry = readonly [
  id: number,
  parent: number,
  stage: number,
  seq: number,
  matched: 0 | 1,
  alternatives: readonly string[],
];

/** A match that waits for runs that began before it. */
export type HeldEntry = readonly [run: number, timestamp: number, order: number];

/** All that a matcher knows, as JSON if the events are: see `PatternMatcher.export`. */
export interface MatcherDocument<T> {
  readonly format: 1;
  /** Fingerprint of the pattern. */
  readonly pattern: string;
  readonly nextSeq: number;
  readonly nextRun: number;
  /** Events before this time are late; `null` before the first one. */
  readonly earliest: number | null;
  /** In the order of `seq`. */
  readonly events: readonly EventEntry<T>[];
  /** In the order of `id`: a run comes after the one it continues. */
  readonly runs: readonly RunEntry[];
  readonly held: readonly HeldEntry[];
}

export function documentOf(core: MatcherCore): MatcherDocument<unknown> {
  const runs = new Map<number, Run>();
  const events = new Map<number, StoredEvent>();
  const add = (run: Run): void => {
    for (let take: Run | undefined = run; take !== undefined && !runs.has(take.id); take = take.parent) {
      runs.set(take.id, take);
      events.set(take.event.seq, take.event);
    }
  };
  for (const run of core.live.all()) add(run);
  for (const { run } of core.held.all()) add(run);
  return {
    format: 1,
    ...documentHead(core),
    held: core.held.all().map(({ run, timestamp, order }) => [run.id, timestamp, order] as const),
    events: [...events.values()].toSorted((a, b) => a.seq - b.seq).map(eventEntry),
    runs: [...runs.values()].toSorted((a, b) => a.id - b.id).map(runEntry),
  };
}

/** All but events, runs and matches that wait. */
export function documentHead(
  core: MatcherCore,
): Pick<MatcherDocument<unknown>, 'pattern' | 'nextSeq' | 'nextRun' | 'earliest'> {
  return {
    pattern: core.program.fingerprint,
    nextSeq: core.seq,
    nextRun: core.store.nextId,
    earliest: Number.isFinite(core.earliest) ? core.earliest : null,
  };
}

export function eventEntry({ seq, timestamp, event }: StoredEvent): EventEntry<unknown> {
  return [seq, timestamp, event];
}

export function runEntry(run: Run): RunEntry {
  const alternatives = run.moves.moves.map(({ key }) => key);
  return [run.id, run.parent?.id ?? -1, run.stage, run.event.seq, run.matched ? 1 : 0, alternatives];
}

/**
 * Puts a document's state into a core that has none.
 *
 * @throws RsError `RS_INVALID_VALUE` for what no matcher of this pattern has written
 */
export function load(core: MatcherCore, document: MatcherDocument<unknown>): void {
  const { program, store, held } = core;
  const { positions } = program;
  const events = new Map<number, StoredEvent>();
  for (const [seq, timestamp, event] of document.events) {
    wanted(isPosition(seq), 'the position of an event', seq);
    wanted(Number.isSafeInteger(timestamp), 'the time of an event', timestamp);
    events.set(seq, { seq, timestamp, event, refs: 0 });
  }
  const sets = new Map<string, MoveSet>();
  const movesOf = (alternatives: readonly string[]): MoveSet => {
    const key = alternatives.join();
    const known = sets.get(key);
    if (known !== undefined) return known;
    const moves = alternatives.map((name) => found(positions.move(String(name)), 'alternative', name));
    const made = positions.setOf(moves);
    sets.set(key, made);
    return made;
  };
  const runs = new Map<number, Run>();
  const live: Run[] = [];
  for (const [id, parentId, stage, seq, matched, alternatives] of document.runs) {
    const parent = parentId === -1 ? undefined : found(runs.get(parentId), 'run', parentId);
    const event = found(events.get(seq), 'event', seq);
    wanted(isPosition(id), 'the id of a run', id);
    wanted(isPosition(stage) && stage < program.stages.length, 'the stage of a run', stage);
    const run: Run = {
      id: -1,
      parent,
      stage,
      before: beforeStage(parent, stage),
      event,
      first: parent === undefined ? event : parent.first,
      length: parent === undefined ? 1 : parent.length + 1,
      moves: movesOf(alternatives),
      bucket: undefined,
      matched: matched === 1,
      refs: 0,
    };
    runs.set(id, run);
    if (alternatives.length > 0) live.push(run);
    store.restore(run, id, alternatives.length > 0);
  }
  for (const [run, timestamp, order] of document.held) {
    wanted(Number.isSafeInteger(timestamp), 'the time of a match', timestamp);
    wanted(isPosition(order), 'the place of a match', order);
    held.put({ run: found(runs.get(run), 'run', run), timestamp, order });
    store.retain(found(runs.get(run), 'run', run));
  }
  for (const run of runs.values()) {
    wanted(run.refs > 0, 'a run that nothing needs', run.event.seq);
    wanted(
      run.event.seq < document.nextSeq && run.id < document.nextRun,
      'what comes next',
      document.nextSeq,
    );
  }
  store.nextId = document.nextRun;
  core.seq = document.nextSeq;
  core.earliest = document.earliest ?? -Infinity;
  core.live.fill(live);
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function wanted(good: boolean, what: string, value: unknown): void {
  if (!good) throw invalidDocument(`${what} cannot be ${String(value)}`);
}

function found<V>(value: V | undefined, what: string, key: unknown): V {
  if (value !== undefined) return value;
  throw invalidDocument(`it refers to the ${what} ${String(key)}, which it does not have`);
}

export function invalidDocument(reason: string): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `PatternMatcher.restore: the document cannot be read: ${reason}; hand over what export() returned, unchanged`,
    { details: { reason } },
  );
}

/** The parts that `load` relies on; what is inside of them it checks itself. */
export function checkDocument(document: unknown): asserts document is MatcherDocument<unknown> {
  const parts = (typeof document === 'object' && document !== null ? document : {}) as Partial<
    Record<keyof MatcherDocument<unknown>, unknown>
  >;
  if (parts.format !== 1) throw invalidDocument(`its format is ${String(parts.format)}, not 1`);
  const { earliest } = parts;
  const timed = earliest === null || Number.isSafeInteger(earliest);
  if (typeof parts.pattern !== 'string' || !timed || ![parts.nextSeq, parts.nextRun].every(isPosition)) {
    throw invalidDocument('its head is not whole');
  }
  if (![parts.events, parts.runs, parts.held].every(isListOfLists)) {
    throw invalidDocument('events, runs and held must be lists of lists');
  }
  for (const run of parts.runs as unknown[][]) {
    if (!Array.isArray(run[5])) throw invalidDocument('a run must have a list of alternatives');
  }
}

function isListOfLists(value: unknown): boolean {
  return Array.isArray(value) && value.every(Array.isArray);
}
