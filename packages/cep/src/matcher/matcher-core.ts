import { RsError } from '@rs/core';
import type { Program } from '../program/program.ts';
import { type AnyMatch, byPositions, firstOf, lastOf, matchOf } from './bindings.ts';
import type { StateChanges } from './changes.ts';
import { HeldMatches } from './held-matches.ts';
import { LiveRuns } from './live-runs.ts';
import type { Limits } from './options.ts';
import type { Run } from './run.ts';
import type { RunQueue } from './run-queue.ts';
import { RunStore } from './run-store.ts';
import { type Step, stepOf } from './step.ts';

/** To V8 it is of the same kind as a list with matches, so a loop over what `process` returns sees one kind only. */
const NO_MATCHES: readonly AnyMatch[] = [{} as AnyMatch].slice(1);

/** What {@link PatternMatcher} does, without the types of events and without checks of what users hand in. */
export class MatcherCore {
  readonly program: Program;
  readonly store = new RunStore();
  readonly held = new HeldMatches();
  /** Whether its state is that of a pattern with another structure, which counts as the same. */
  foreign = false;
  /** Runs that can go on. */
  readonly live: LiveRuns;
  /** Position of the next event. */
  seq = 0;
  /** Events before it are late. */
  earliest = -Infinity;
  timedOut: AnyMatch[] = [];
  dropped: AnyMatch[] = [];
  readonly #limits: Limits;
  readonly #step: Step;
  readonly #isOver: ((run: Run) => boolean) | undefined;
  readonly #skipStage: number;
  readonly #skips: boolean;
  readonly #throwsOnMiss: boolean;
  /** No run that began at an event up to this one goes on. */
  #deadThrough = -1;
  #now = 0;
  #changes: StateChanges | undefined;
  /** Live runs in the order of their deadlines. */
  readonly #byDeadline: RunQueue | undefined;

  constructor(program: Program, limits: Limits) {
    this.program = program;
    this.#limits = limits;
    this.#step = stepOf(program);
    this.#isOver = program.within === undefined ? undefined : (run) => this.deadlineOf(run) <= this.#now;
    const { skip, within } = program;
    this.#skips = skip.kind !== 'no-skip';
    this.#throwsOnMiss = 'throwOnMiss' in skip && skip.throwOnMiss;
    const byLast = within?.scope === 'previous-to-current';
    const byFirst = this.#skips || within?.scope === 'first-to-last' || limits.onLimit === 'drop-oldest';
    this.live = new LiveRuns({ byFirst, byLast });
    this.#byDeadline = within === undefined ? undefined : byLast ? this.live.byLast : this.live.byFirst;
    this.#skipStage = 'stage' in skip ? program.stages.findIndex(({ name }) => name === skip.stage) : -1;
  }

  /** One without state. */
  another(): MatcherCore {
    return new MatcherCore(this.program, this.#limits);
  }

  /** When {@link advance} has something to do; `Infinity` for never. */
  nextDeadline(): number {
    const head = this.#byDeadline?.head;
    const { within } = this.program;
    return head === undefined || within === undefined ? Infinity : head.timestamp + within.millis;
  }

  /** When the time of a run is over. */
  deadlineOf(run: Run): number {
    const { within } = this.program;
    if (within === undefined) return Infinity;
    return (within.scope === 'first-to-last' ? run.first : run.event).timestamp + within.millis;
  }

  process(event: unknown, timestamp: number): readonly AnyMatch[] {
    const { maxRuns, maxEventsPerRun, onLimit } = this.#limits;
    const step = this.#step;
    const over = this.nextDeadline() <= timestamp;
    if (over) this.#now = timestamp;
    step.take(event, timestamp, this.seq, this.live, over ? this.#isOver : undefined, maxEventsPerRun);
    if (!over && step.idle) {
      this.seq++;
      this.earliest = timestamp;
      return NO_MATCHES;
    }
    // Runs are not found in the order of matches.
    if (step.completed.length > 1) step.completed.sort(byPositions);
    if (step.tooLong.length > 1) step.tooLong.sort(byPositions);
    const mayBeMany = this.#kept + step.added.length + (this.#skips ? step.completed.length : 0) > maxRuns;
    if (onLimit === 'fail' && (mayBeMany || step.tooLong.length > 0)) this.#checkLimits(step, over);
    if (this.#throwsOnMiss && step.completed.some((run) => this.#misses(run))) throw this.#skipMissed();
    if (over) this.#checkOver(timestamp);

    // From here on nothing can fail.
    this.seq++;
    this.earliest = timestamp;
    let matches: AnyMatch[] | undefined;
    if (over) {
      this.#expire(timestamp, (matches = []));
      step.giveUpThrough(this.#deadThrough);
    }
    for (const run of step.tooLong) this.dropped.push(this.#match(run, timestamp));
    this.#apply(step);
    for (const run of step.completed) this.#complete(run, timestamp, (matches ??= []));
    for (const run of step.ended) this.#end(run);
    if (this.#skips && this.held.size > 0) this.#releaseHeld((matches ??= []));
    if (onLimit === 'drop-oldest' && this.#kept > maxRuns) this.#dropOldest(timestamp, (matches ??= []));
    step.clear();
    return matches ?? NO_MATCHES;
  }

  /** Time has come to `watermark`, with no event up to it still to come. */
  advance(watermark: number): readonly AnyMatch[] {
    if (watermark < this.earliest) return NO_MATCHES;
    if (this.nextDeadline() > watermark) {
      this.earliest = watermark + 1;
      return NO_MATCHES;
    }
    this.#now = watermark;
    this.#checkOver(watermark);
    this.earliest = watermark + 1;
    const matches: AnyMatch[] = [];
    this.#expire(watermark, matches);
    return matches;
  }

  /** As {@link advance}, or {@link flush}, but without telling what was found. */
  giveUpThrough(time: number): void {
    const go = (): unknown => (time === Infinity ? this.flush() : this.advance(time));
    try {
      go();
    } catch {
      // Only what must be refused, and is given up by that.
      go();
    }
    this.timedOut = [];
    this.dropped = [];
  }

  /** Nothing comes any more. */
  flush(): readonly AnyMatch[] {
    const matches = [...this.advance(Infinity)];
    this.#endAll();
    this.#releaseHeld(matches);
    this.reset();
    return matches;
  }

  /** Forgets everything but counters. */
  reset(): void {
    this.#endAll();
    for (const { run } of this.held.clear()) this.store.release(run);
    this.earliest = -Infinity;
    // Positions of stored state may begin before those that are over here.
    this.#deadThrough = -1;
  }

  /** One that is empty begins to count anew. */
  renew(): void {
    this.reset();
    this.seq = 0;
    this.store.nextId = 0;
  }

  /** Whether nothing has begun, and nothing waits. */
  get isEmpty(): boolean {
    return this.store.runs === 0;
  }

  /** From now on {@link changes} tells what has changed since the last {@link collected}. */
  track(): void {
    this.#changes = this.store.track();
    this.held.collected();
  }

  get changes(): StateChanges {
    return this.#changes ?? untracked();
  }

  get hasChanged(): boolean {
    return this.foreign || this.held.hasChanged || !this.changes.isEmpty;
  }

  /** The changes were written. */
  collected(): void {
    this.store.collected();
    this.held.collected();
    this.foreign = false;
  }

  /** Makes the step's runs the live ones. New ones are linked before their parents end, or they would lose them. */
  #apply(step: Step): void {
    for (const run of step.added) {
      this.store.retain(run);
      this.live.add(run);
    }
    for (let i = 0; i < step.touched.length; i++) {
      const run = step.touched[i] as Run;
      this.store.changeMoves(run, step.left[i] as Run['moves']);
      this.live.moved(run);
    }
  }

  /** It cannot go on any more. */
  #end(run: Run): void {
    this.live.remove(run);
    this.store.end(run);
  }

  #endAll(): void {
    for (const run of this.live.all()) this.#end(run);
  }

  #complete(run: Run, timestamp: number, matches: AnyMatch[]): void {
    if (!run.matched) this.store.markMatched(run);
    if (!this.#skips) {
      matches.push(this.#match(run, timestamp));
      return;
    }
    this.store.retain(run);
    this.held.add(run, timestamp);
  }

  /** Lets go of the matches that no earlier run can come before, and of what they skip. */
  #releaseHeld(matches: AnyMatch[]): void {
    for (let first = this.held.first(); first !== undefined; first = this.held.first()) {
      const earliest = this.live.byFirst?.head;
      if (earliest !== undefined && earliest.seq < first.run.first.seq) return;
      this.held.shift();
      matches.push(this.#match(first.run, first.timestamp));
      this.#skipThrough(this.#skippedThrough(first.run));
      this.store.release(first.run);
    }
  }

  /** The last event with which nothing begun goes on after the match. */
  #skippedThrough(run: Run): number {
    switch (this.program.skip.kind) {
      case 'to-next':
        return run.first.seq;
      case 'past-last-event':
        return run.event.seq;
      case 'to-first':
        return (firstOf(run, this.#skipStage)?.event.seq ?? 0) - 1;
      case 'to-last':
        return (lastOf(run, this.#skipStage)?.event.seq ?? 0) - 1;
      case 'no-skip':
        return -1;
    }
  }

  #skipThrough(seq: number): void {
    if (seq <= this.#deadThrough) return;
    this.#deadThrough = seq;
    const { byFirst } = this.live;
    while (byFirst?.head !== undefined && byFirst.head.seq <= seq) {
      for (const run of byFirst.first()) this.#end(run);
    }
    for (const { run } of this.held.removeThrough(seq)) this.store.release(run);
  }

  /** Ends the runs whose time is over, one deadline after the other. */
  #expire(time: number, matches: AnyMatch[]): void {
    for (;;) {
      const deadline = this.nextDeadline();
      if (deadline === Infinity || deadline > time) return;
      const over: Run[] = [];
      while (this.nextDeadline() === deadline) {
        for (const run of this.#byDeadline?.first() ?? []) {
          this.live.remove(run);
          over.push(run);
        }
      }
      for (const run of over.sort(byPositions)) {
        if (run.moves.atDeadline) this.#complete(run, deadline, matches);
        else if (!run.matched) this.timedOut.push(this.#match(run, deadline));
      }
      for (const run of over) this.store.end(run);
      this.#releaseHeld(matches);
    }
  }

  /** What the limit of runs counts. */
  get #kept(): number {
    return this.#skips ? this.live.size + this.held.size : this.live.size;
  }

  /** Gives up runs until the rest fits. Matches that only waited for these are free then. */
  #dropOldest(timestamp: number, matches: AnyMatch[]): void {
    const { maxRuns } = this.#limits;
    const { byFirst } = this.live;
    while (this.#kept > maxRuns && byFirst?.head !== undefined) {
      const oldest = byFirst
        .first()
        .toSorted(byPositions)
        .slice(0, this.#kept - maxRuns);
      for (const run of oldest) {
        this.dropped.push(this.#match(run, timestamp));
        this.#end(run);
      }
      this.#releaseHeld(matches);
    }
  }

  #match(run: Run, timestamp: number): AnyMatch {
    return matchOf(run, timestamp, this.program.stages);
  }

  /** What the step leaves of {@link #kept} at most, runs that are over already not counted. */
  #keptAfter(step: Step, over: boolean): number {
    const earliest = this.live.byFirst?.head?.seq ?? Infinity;
    const waits = (run: Run): boolean => run.first.seq > earliest;
    const held = this.#skips ? step.completed.filter(waits).length : 0;
    const count = this.#kept + step.added.length - step.ended.length + held;
    const { within } = this.program;
    if (!over || within === undefined || this.#byDeadline === undefined) return count;
    return count - this.#byDeadline.through(this.#now - within.millis).length;
  }

  #checkLimits(step: Step, over: boolean): void {
    const { maxRuns, maxEventsPerRun } = this.#limits;
    const kept = this.#keptAfter(step, over);
    const tooMany = kept > maxRuns && kept > this.#kept;
    if (!tooMany && step.tooLong.length === 0) return;
    const [what, limit] = tooMany
      ? (['maxRuns', maxRuns] as const)
      : (['maxEventsPerRun', maxEventsPerRun] as const);
    step.clear();
    throw new RsError(
      'RS_PATTERN_LIMIT',
      `PatternMatcher: the event would exceed ${what} = ${limit} and takes no part; narrow the pattern (within, until, skipPastLastEvent), raise the limit, or choose onLimit: 'drop-oldest'`,
      { details: { limit: what, max: limit } },
    );
  }

  /** A match that must be refused at its deadline is given up, or it would be refused with every call from then on. */
  #checkOver(time: number): void {
    const { within } = this.program;
    if (!this.#throwsOnMiss || within === undefined) return;
    const over = this.#byDeadline?.through(time - within.millis) ?? [];
    const missed = over.filter((run) => run.moves.atDeadline && this.#misses(run));
    if (missed.length === 0) return;
    for (const run of missed) this.#end(run);
    throw this.#skipMissed();
  }

  /** Whether it has no event to skip to, and must have one. */
  #misses(run: Run): boolean {
    return this.#throwsOnMiss && lastOf(run, this.#skipStage) === undefined;
  }

  #skipMissed(): RsError {
    const { skip } = this.program;
    const stage = 'stage' in skip ? skip.stage : '';
    this.#step.clear();
    return new RsError(
      'RS_PATTERN_SKIP_MISSED',
      `PatternMatcher: a match has no event of stage '${stage}', to which the pattern skips; make the stage required, or leave out throwOnMiss`,
      { details: { stage } },
    );
  }
}

function untracked(): never {
  throw new RsError('RS_UNSUPPORTED', 'the matcher does not keep its changes: call track() first');
}
