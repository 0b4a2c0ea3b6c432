import { RsError } from '@rs/core';
import type { Program } from '../program/program.ts';
import { type AnyMatch, byPositions, firstOf, lastOf, matchOf } from './bindings.ts';
import type { StateChanges } from './changes.ts';
import { HeldMatches } from './held-matches.ts';
import type { Limits } from './options.ts';
import type { Run } from './run.ts';
import { RunStore } from './run-store.ts';
import { type Step, isUnsettled, truncate } from './step.ts';

const NO_MATCHES: readonly AnyMatch[] = [];

/** What {@link PatternMatcher} does, without the types of events and without checks of what users hand in. */
export class Engine {
  readonly program: Program;
  readonly store = new RunStore();
  readonly held = new HeldMatches();
  /** Runs that can go on, in the order of matches: so their first events never go back. */
  live: Run[] = [];
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
  #unsettled = false;
  /** Whether runs may be in another order than matches: see {@link Step.branched}. */
  #branched = false;
  /** No run that began at an event up to this one goes on. */
  #deadThrough = -1;
  #now = 0;
  #changes: StateChanges | undefined;
  /** A lower bound of the next deadline, where deadlines do not come in the order of the runs. */
  #nextDeadline = -Infinity;

  constructor(program: Program, limits: Limits) {
    this.program = program;
    this.#limits = limits;
    this.#step = program.step;
    this.#isOver = program.within === undefined ? undefined : (run) => this.deadlineOf(run) <= this.#now;
    const { skip } = program;
    this.#skipStage = 'stage' in skip ? program.stages.findIndex(({ name }) => name === skip.stage) : -1;
  }

  /** One without state. */
  another(): Engine {
    return new Engine(this.program, this.#limits);
  }

  /** When {@link advance} has something to do; `Infinity` for never. */
  nextDeadline(): number {
    return this.program.within === undefined ? Infinity : this.#earliestDeadline();
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
    this.#now = timestamp;
    const over = this.#hasOver(timestamp);
    step.take(
      event,
      timestamp,
      this.seq,
      this.live,
      over ? this.#isOver : undefined,
      this.#unsettled,
      maxEventsPerRun,
    );
    if (!over && step.isIdle()) {
      this.seq++;
      this.earliest = timestamp;
      this.#unsettled = false;
      return NO_MATCHES;
    }
    if (step.branched) this.#branched = true;
    if (this.#branched && step.completed.length > 1) step.completed.sort(byPositions);
    if (onLimit === 'fail') this.#refuse(this.#runsAfter(step, over) > maxRuns, step.tooLong.length > 0);
    for (const run of step.completed) this.#checkSkip(run);
    if (over) this.#checkOver(timestamp);

    // From here on nothing can fail.
    this.seq++;
    this.earliest = timestamp;
    this.#unsettled = step.unsettled;
    let matches: AnyMatch[] | undefined;
    if (over) this.#expire(timestamp, (matches = []));
    if (step.tooLong.length > 0) {
      this.dropped.push(...step.tooLong.map((run) => this.#match(run, timestamp)));
    }
    this.#link(step);
    for (const run of step.completed) {
      if (run.first.seq > this.#deadThrough) this.#complete(run, timestamp, (matches ??= []));
    }
    for (const run of step.ended) if (run.first.seq > this.#deadThrough) this.store.end(run);
    if (this.live.length > maxRuns) this.#dropOldest(this.live.length - maxRuns, timestamp);
    if (this.held.size > 0) this.#releaseHeld((matches ??= []));
    step.clear();
    return matches ?? NO_MATCHES;
  }

  /** Time has come to `watermark`, with no event up to it still to come. */
  advance(watermark: number): readonly AnyMatch[] {
    if (watermark < this.earliest) return NO_MATCHES;
    if (!this.#hasOver(watermark)) {
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

  /** Ends what is over by then, without telling of it. */
  giveUpThrough(time: number): void {
    this.advance(time);
    this.timedOut = [];
  }

  /** Nothing comes any more. */
  flush(): readonly AnyMatch[] {
    const matches = [...this.advance(Infinity)];
    for (const run of this.live.splice(0)) this.store.end(run);
    this.#releaseHeld(matches);
    this.reset();
    return matches;
  }

  /** Forgets everything but counters; runs must have been ended. */
  reset(): void {
    for (const run of this.live.splice(0)) this.store.end(run);
    for (const { run } of this.held.clear()) this.store.release(run);
    this.earliest = -Infinity;
    this.#unsettled = false;
    // Positions of stored state may begin before those that are over here.
    this.#deadThrough = -1;
    this.#nextDeadline = -Infinity;
  }

  /** One that is empty begins to count anew. */
  renew(): void {
    this.reset();
    this.seq = 0;
    this.store.nextId = 0;
    this.#branched = false;
  }

  /** Whether nothing has begun, and nothing waits. */
  get isEmpty(): boolean {
    return this.store.runs === 0;
  }

  /** From now on {@link changes} tells what has changed since the last {@link collected}. */
  track(): void {
    this.#changes = this.store.track();
    this.held.changed = false;
  }

  get changes(): StateChanges {
    return this.#changes ?? untracked();
  }

  get hasChanged(): boolean {
    return this.held.changed || !this.changes.isEmpty;
  }

  /** The changes were written. */
  collected(): void {
    this.store.collected();
    this.held.changed = false;
  }

  /** After the live runs were set from stored state. */
  resume(): void {
    this.#branched = true;
    this.#unsettled = this.live.some(
      (run) => run.event.seq === this.seq - 1 && run.alternatives.some(isUnsettled),
    );
    this.#nextDeadline = -Infinity;
  }

  /** Makes the step's runs the live ones. New ones are linked before their parents end, or they would lose them. */
  #link(step: Step): void {
    const { store, live } = this;
    let count = step.quiet ? live.length : 0;
    for (const run of step.next) {
      if (run.first.seq <= this.#deadThrough) continue;
      if (run.refs === 0) store.retain(run);
      live[count++] = run;
    }
    truncate(live, count);
    for (let i = 0; i < step.touched.length; i++) {
      const run = step.touched[i] as Run;
      if (run.first.seq > this.#deadThrough) store.changeAlternatives(run, step.left[i] ?? []);
    }
  }

  #complete(run: Run, timestamp: number, matches: AnyMatch[]): void {
    if (!run.matched) this.store.markMatched(run);
    if (this.program.skip.kind === 'no-skip') {
      matches.push(this.#match(run, timestamp));
      return;
    }
    this.store.retain(run);
    this.held.add(run, timestamp);
  }

  /** Lets go of the matches that no earlier run can come before, and of what they skip. */
  #releaseHeld(matches: AnyMatch[]): void {
    for (let first = this.held.first(); first !== undefined; first = this.held.first()) {
      const earliest = this.live[0];
      if (earliest !== undefined && earliest.first.seq < first.run.first.seq) return;
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
    let count = 0;
    for (const run of this.live) {
      if (run.first.seq > seq) break;
      count++;
    }
    for (const run of this.live.splice(0, count)) this.store.end(run);
    for (const { run } of this.held.removeThrough(seq)) this.store.release(run);
  }

  #hasOver(time: number): boolean {
    const { within } = this.program;
    const first = this.live[0];
    if (within === undefined || first === undefined) return false;
    if (within.scope === 'first-to-last') return this.deadlineOf(first) <= time;
    if (this.#nextDeadline > time) return false;
    this.#nextDeadline = this.#earliestDeadline();
    return this.#nextDeadline <= time;
  }

  #earliestDeadline(): number {
    const first = this.live[0];
    if (first === undefined) return Infinity;
    if (this.program.within?.scope === 'first-to-last') return this.deadlineOf(first);
    let earliest = Infinity;
    for (const run of this.live) earliest = Math.min(earliest, this.deadlineOf(run));
    return earliest;
  }

  /** Ends the runs whose time is over, one deadline after the other. */
  #expire(time: number, matches: AnyMatch[]): void {
    for (;;) {
      const deadline = this.#earliestDeadline();
      if (this.live.length === 0 || deadline > time) break;
      const over = this.#takeOver(deadline);
      if (this.#branched) over.sort(byPositions);
      for (const run of over) {
        if (run.alternatives.some(({ atDeadline }) => atDeadline)) this.#complete(run, deadline, matches);
        else if (!run.matched) this.timedOut.push(this.#match(run, deadline));
      }
      for (const run of over) this.store.end(run);
      this.#releaseHeld(matches);
    }
    this.#nextDeadline = -Infinity;
  }

  /** Takes the runs with this deadline, the earliest of all, from the live ones. */
  #takeOver(deadline: number): Run[] {
    if (this.program.within?.scope === 'first-to-last') {
      const count = this.live.findIndex((run) => this.deadlineOf(run) > deadline);
      return this.live.splice(0, count === -1 ? this.live.length : count);
    }
    const over = this.live.filter((run) => this.deadlineOf(run) === deadline);
    this.live = this.live.filter((run) => this.deadlineOf(run) !== deadline);
    return over;
  }

  #dropOldest(count: number, timestamp: number): void {
    for (const run of this.live.splice(0, count)) {
      this.dropped.push(this.#match(run, timestamp));
      this.store.end(run);
    }
  }

  #match(run: Run, timestamp: number): AnyMatch {
    return matchOf(run, timestamp, this.program.stages);
  }

  /** Runs that the step leaves, those that are over already not counted. */
  #runsAfter(step: Step, over: boolean): number {
    if (!step.quiet) return step.next.length;
    const isOver = this.#isOver;
    const old = over && isOver !== undefined ? this.live.filter((run) => !isOver(run)) : this.live;
    return step.next.length + old.length;
  }

  #refuse(tooMany: boolean, tooLong: boolean): void {
    if (!tooMany && !tooLong) return;
    const [what, limit] = tooMany
      ? (['maxRuns', this.#limits.maxRuns] as const)
      : (['maxEventsPerRun', this.#limits.maxEventsPerRun] as const);
    this.#step.clear();
    throw new RsError(
      'RS_PATTERN_LIMIT',
      `PatternMatcher: the event would exceed ${what} = ${limit} and takes no part; narrow the pattern (within, until, skipPastLastEvent), raise the limit, or choose onLimit: 'drop-oldest'`,
      { details: { limit: what, max: limit } },
    );
  }

  #checkOver(time: number): void {
    if (!('throwOnMiss' in this.program.skip) || !this.program.skip.throwOnMiss) return;
    for (const run of this.live) {
      if (this.deadlineOf(run) <= time && run.alternatives.some(({ atDeadline }) => atDeadline)) {
        this.#checkSkip(run);
      }
    }
  }

  #checkSkip(run: Run): void {
    const { skip } = this.program;
    if (!('throwOnMiss' in skip) || !skip.throwOnMiss || lastOf(run, this.#skipStage) !== undefined) return;
    this.#step.clear();
    throw new RsError(
      'RS_PATTERN_SKIP_MISSED',
      `PatternMatcher: a match has no event of stage '${skip.stage}', to which the pattern skips; make the stage required, or leave out throwOnMiss`,
      { details: { stage: skip.stage } },
    );
  }
}

function untracked(): never {
  throw new RsError('RS_UNSUPPORTED', 'the matcher does not keep its changes: call track() first');
}
