import { RsError } from '@rs/core';
import type { MoveSet } from '../program/move-set.ts';
import type { Move, Position } from '../program/positions.ts';
import type { Program } from '../program/program.ts';
import { Evaluation } from './evaluation.ts';
import type { Bucket, LiveRuns } from './live-runs.ts';
import { beforeStage } from './bindings.ts';
import { type Run, type StoredEvent, UNLINKED } from './run.ts';
import { truncate } from './truncate.ts';

/**
 * What one event does to the runs, found out without changing any: conditions are code of the user, and when one throws,
 * the state must be as it was before the event.
 */
export class Step {
  readonly #program: Program;
  readonly #evaluation: Evaluation;
  #seq = 0;
  #maxEvents = 0;
  #busy = false;
  #stored: StoredEvent | undefined;
  /** Which of a run's moves are kept. */
  readonly #kept: boolean[] = [];

  /**
   * From this many runs on, conditions that may look at what is bound are asked first without a run: often the event itself says
   * no. With fewer, that costs more than it can save.
   */
  probeFrom = 16;
  /** Whether the event changes nothing: all lists are empty. */
  idle = true;
  /** Runs that can go on from here; unlinked. */
  readonly added: Run[] = [];
  /** Live runs that lose some of their moves, and what is left of them. */
  readonly touched: Run[] = [];
  readonly left: MoveSet[] = [];
  /** Live runs that cannot go on. */
  readonly ended: Run[] = [];
  /** Runs that are matches now: new ones, or such whose last negation has held. */
  readonly completed: Run[] = [];
  /** Runs that are longer than the limit, and were not made. */
  readonly tooLong: Run[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.#evaluation = new Evaluation(program);
  }

  /** @param isOver runs whose time is over before the event */
  take(
    event: unknown,
    timestamp: number,
    seq: number,
    live: LiveRuns,
    isOver: ((run: Run) => boolean) | undefined,
    maxEvents: number,
  ): void {
    if (this.#busy) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'a condition must not use a matcher of the pattern that it is a part of; look at what is bound with its context',
      );
    }
    this.#busy = true;
    this.#seq = seq;
    this.#maxEvents = maxEvents;
    this.idle = true;
    this.#evaluation.begin(event, timestamp);
    try {
      if (live.size > 0) this.#goOn(live.buckets(), isOver);
      this.#advance(undefined);
    } catch (error) {
      this.clear();
      throw error;
    } finally {
      this.#busy = false;
      this.#stored = undefined;
      this.#evaluation.end();
    }
  }

  /** Leaves out all runs that began at an event up to `seq`. */
  giveUpThrough(seq: number): void {
    const goesOn = (run: Run | undefined): boolean => run !== undefined && run.first.seq > seq;
    keepWhere(this.left, (index) => goesOn(this.touched[index]));
    for (const runs of [this.added, this.touched, this.ended, this.completed]) {
      keepWhere(runs, (index) => goesOn(runs[index]));
    }
  }

  /** Lets go of everything. */
  clear(): void {
    truncate(this.added, 0);
    truncate(this.touched, 0);
    truncate(this.left, 0);
    truncate(this.ended, 0);
    truncate(this.completed, 0);
    truncate(this.tooLong, 0);
  }

  #goOn(buckets: readonly Bucket[], isOver: ((run: Run) => boolean) | undefined): void {
    for (const bucket of buckets) {
      const { moves } = bucket;
      if (!moves.unsettled && !this.#mayHoldAny(moves.conditions, bucket.live)) continue;
      for (const run of bucket.runs()) if (isOver === undefined || !isOver(run)) this.#advance(run);
    }
  }

  /** False only when none holds for the event, whatever the runs have bound. */
  #mayHoldAny(conditions: readonly number[], runs: number): boolean {
    const probes = runs >= this.probeFrom;
    for (const condition of conditions) {
      const mayLook = this.#program.conditions[condition]?.iterative === true;
      if ((mayLook && !probes) || this.#evaluation.mayHold(condition)) return true;
    }
    return false;
  }

  /** What the event does to one run, or, without one, what it starts. */
  #advance(run: Run | undefined): void {
    const { moves } = run === undefined ? this.#program.start : run.moves;
    const kept = this.#kept;
    truncate(kept, 0);
    let child: Run | undefined;
    let completes = false;
    let others: MoveSet[] | undefined;
    for (let i = 0; i < moves.length; i++) {
      const move = moves[i] as Move;
      const { target, to } = move;
      let keeps = false;
      if (!move.plain && this.#forbidden(move, run)) {
        keeps = false;
      } else if (target === undefined || to === undefined) {
        keeps = move.atDeadline;
        // A later event cannot be the next one: this one has shown that nothing forbidden followed.
        if (!keeps) completes = true;
      } else {
        const held = this.#evaluation.holds(target.condition, run);
        keeps = move.contiguity === 'any' || (move.contiguity === 'relaxed' && !held);
        if (held && !(target.until >= 0 && this.#evaluation.holds(target.until, run))) {
          if (child !== undefined && child.stage !== target.index) {
            this.#admit(child, others);
            child = undefined;
          }
          if (child === undefined) {
            child = this.#runAfter(run, target.index, to);
            others = undefined;
          } else {
            // Two ways through the pattern with the same takes are one run.
            (others ??= []).push(to.moves);
          }
          if (to.completes) child.matched = true;
        }
      }
      if (run !== undefined) kept.push(keeps);
    }
    if (child !== undefined) this.#admit(child, others);
    if (run === undefined) return;
    if (completes) this.completed.push(run);
    const left = run.moves.rest(kept);
    if (left === run.moves) return;
    this.idle = false;
    if (left.moves.length === 0) {
      this.ended.push(run);
      return;
    }
    this.touched.push(run);
    this.left.push(left);
  }

  #runAfter(parent: Run | undefined, stage: number, to: Position): Run {
    const { event: value, timestamp } = this.#evaluation;
    const event = (this.#stored ??= { seq: this.#seq, timestamp, event: value, refs: 0 });
    return {
      id: UNLINKED,
      parent,
      stage,
      before: beforeStage(parent, stage),
      event,
      first: parent === undefined ? event : parent.first,
      length: parent === undefined ? 1 : parent.length + 1,
      moves: to.moves,
      bucket: undefined,
      matched: false,
      refs: 0,
    };
  }

  /** @param others where it is as well */
  #admit(child: Run, others: readonly MoveSet[] | undefined): void {
    this.idle = false;
    if (child.length > this.#maxEvents) {
      this.tooLong.push(child);
      return;
    }
    if (others !== undefined) child.moves = child.moves.with(others);
    if (child.matched) this.completed.push(child);
    if (child.moves.moves.length > 0) this.added.push(child);
  }

  /** Whether the event makes the move impossible, now and later. */
  #forbidden(move: Move, run: Run | undefined): boolean {
    const evaluation = this.#evaluation;
    // It has them only when this is the event behind the last take.
    for (const condition of move.notNext) if (evaluation.holds(condition, run)) return true;
    for (const condition of move.notFollowedBy) if (evaluation.holds(condition, run)) return true;
    for (const stage of move.leaves) {
      const takes =
        evaluation.holds(stage.condition, run) && !(stage.until >= 0 && evaluation.holds(stage.until, run));
      if (takes) return true;
    }
    return move.until >= 0 && evaluation.holds(move.until, run);
  }
}

const steps = new WeakMap<Program, Step>();

/** The one in which all matchers of a program work out what an event does, one at a time. */
export function stepOf(program: Program): Step {
  const known = steps.get(program);
  if (known !== undefined) return known;
  const step = new Step(program);
  steps.set(program, step);
  return step;
}

function keepWhere<V>(list: V[], keep: (index: number) => boolean): void {
  let count = 0;
  for (let i = 0; i < list.length; i++) if (keep(i)) list[count++] = list[i] as V;
  truncate(list, count);
}
