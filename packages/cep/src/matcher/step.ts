import { RsError } from '@rs/core';
import type { Move, Position } from '../program/positions.ts';
import type { ProgramParts } from '../program/program.ts';
import { Evaluation } from './evaluation.ts';
import { type Run, NO_MOVES, type StoredEvent, UNLINKED } from './run.ts';

/** What is left of a single move. */
const NONE_LEFT: Move[] = [];

/**
 * What one event does to the runs, found out without changing any: conditions are code of the user, and when one throws,
 * the state must be as it was before the event.
 */
export class Step {
  readonly #program: ProgramParts;
  readonly #evaluation: Evaluation;
  #event: unknown;
  #timestamp = 0;
  #seq = 0;
  #busy = false;
  #stored: StoredEvent | undefined;

  /**
   * From this many runs on, all conditions are asked first whether the event concerns any run; with fewer, that costs more
   * than it can save.
   */
  probeFrom = 16;
  /** Whether the live runs stay as they are, so that `next` is not filled, except with runs that start. */
  quiet = false;
  /** Live runs afterwards, in the order of matches; new ones are unlinked. */
  readonly next: Run[] = [];
  /** Runs that lose some of their alternatives, and what is left of them. */
  readonly touched: Run[] = [];
  readonly left: (readonly Move[])[] = [];
  /** Runs that cannot go on. */
  readonly ended: Run[] = [];
  /** Runs that are matches now, in the order of matches: new ones, or such whose last negation has held. */
  readonly completed: Run[] = [];
  /** Runs that are longer than the limit, and were not made. */
  readonly tooLong: Run[] = [];
  /** Whether a run has taken the event in two ways: from then on runs are no longer in the order of positions. */
  branched = false;
  /** Whether the next event decides about something whatever it is. */
  unsettled = false;

  constructor(program: ProgramParts) {
    this.#program = program;
    this.#evaluation = new Evaluation(program);
  }

  /**
   * @param isOver runs whose time is over before the event
   * @param unsettled what the step before has left in {@link unsettled}
   */
  take(
    event: unknown,
    timestamp: number,
    seq: number,
    live: readonly Run[],
    isOver: ((run: Run) => boolean) | undefined,
    unsettled: boolean,
    maxEvents: number,
  ): void {
    if (this.#busy) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'a condition must not use a matcher of the pattern that it is a part of; look at what is bound with its context',
      );
    }
    this.#busy = true;
    this.#event = event;
    this.#timestamp = timestamp;
    this.#seq = seq;
    this.unsettled = false;
    this.branched = false;
    this.#evaluation.begin(event, timestamp);
    try {
      this.#decide(live, isOver, unsettled, maxEvents);
    } catch (error) {
      this.clear();
      throw error;
    } finally {
      this.#busy = false;
      this.#stored = undefined;
      this.#event = undefined;
      this.#evaluation.end();
    }
  }

  #decide(
    live: readonly Run[],
    isOver: ((run: Run) => boolean) | undefined,
    unsettled: boolean,
    maxEvents: number,
  ): void {
    this.quiet = live.length === 0 || (!unsettled && live.length >= this.probeFrom && !this.#concernsAny());
    if (!this.quiet) {
      for (const run of live) if (isOver === undefined || !isOver(run)) this.#advance(run, maxEvents);
    }
    this.#advance(undefined, maxEvents);
  }

  /** Whether the event has changed nothing. */
  isIdle(): boolean {
    return this.quiet && this.next.length + this.completed.length + this.tooLong.length === 0;
  }

  /** Lets go of everything. */
  clear(): void {
    truncate(this.next, 0);
    truncate(this.touched, 0);
    truncate(this.left, 0);
    truncate(this.ended, 0);
    truncate(this.completed, 0);
    truncate(this.tooLong, 0);
  }

  /** False only when no condition holds for the event, whatever a run has bound. */
  #concernsAny(): boolean {
    const { conditions, iterative, stages } = this.#program;
    if (iterative || stages.some((stage) => stage.condition < 0)) return true;
    for (let i = 0; i < conditions.length; i++) if (this.#evaluation.mayHold(i)) return true;
    return false;
  }

  /** What the event does to one run, or, without one, what it starts. */
  #advance(run: Run | undefined, maxEvents: number): void {
    const moves = run === undefined ? this.#program.start : run.alternatives;
    let left: Move[] | undefined;
    let child: Run | undefined;
    let completes = false;
    let positions: Position[] | undefined;
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
            this.#admit(child, positions, maxEvents);
            child = undefined;
            this.branched = true;
          }
          if (child === undefined) {
            child = this.#runAfter(run, target.index, to);
            positions = undefined;
          } else {
            // Two ways through the pattern with the same takes are one run.
            (positions ??= []).push(to);
          }
          if (to.completes) child.matched = true;
        }
      }
      if (keeps) left?.push(move);
      else if (run !== undefined) left ??= moves.length === 1 ? NONE_LEFT : moves.slice(0, i);
    }
    if (child !== undefined) this.#admit(child, positions, maxEvents);
    if (run === undefined) return;
    if (completes) this.completed.push(run);
    if (left === undefined) {
      this.next.push(run);
    } else if (left.length > 0) {
      this.next.push(run);
      this.touched.push(run);
      this.left.push(left);
    } else {
      this.ended.push(run);
    }
  }

  #runAfter(parent: Run | undefined, stage: number, to: Position): Run {
    const event = (this.#stored ??= {
      seq: this.#seq,
      timestamp: this.#timestamp,
      event: this.#event,
      refs: 0,
    });
    return {
      id: UNLINKED,
      parent,
      stage,
      event,
      first: parent === undefined ? event : parent.first,
      length: parent === undefined ? 1 : parent.length + 1,
      alternatives: to.moves,
      matched: false,
      refs: 0,
    };
  }

  #admit(child: Run, others: readonly Position[] | undefined, maxEvents: number): void {
    if (child.length > maxEvents) {
      this.tooLong.push(child);
      return;
    }
    if (others !== undefined) child.alternatives = merged(child.alternatives, others);
    if (child.matched) this.completed.push(child);
    if (child.alternatives.length === 0) return;
    this.next.push(child);
    if (!this.unsettled) this.unsettled = child.alternatives.some(isUnsettled);
  }

  /** Whether the event makes the move impossible, now and later. */
  #forbidden(move: Move, run: Run | undefined): boolean {
    const evaluation = this.#evaluation;
    if (move.notNext.length > 0 && run !== undefined && run.event.seq === this.#seq - 1) {
      for (const condition of move.notNext) if (evaluation.holds(condition, run)) return true;
    }
    for (const condition of move.notFollowedBy) if (evaluation.holds(condition, run)) return true;
    for (const stage of move.leaves) {
      const takes =
        evaluation.holds(stage.condition, run) && !(stage.until >= 0 && evaluation.holds(stage.until, run));
      if (takes) return true;
    }
    return move.until >= 0 && evaluation.holds(move.until, run);
  }
}

/** Shortens a list. Setting its length is a slow call, and lists here get shorter by a few, with every event. */
export function truncate(list: unknown[], length: number): void {
  while (list.length > length) list.pop();
}

export function isUnsettled(move: Move): boolean {
  return move.contiguity === 'strict' || move.notNext.length > 0;
}

function merged(moves: readonly Move[], others: readonly Position[]): readonly Move[] {
  const all = [...new Set([moves, ...others.map((position) => position.moves)].flat())];
  const rank = ({ target }: Move): number => target?.index ?? Infinity;
  return all.length === 0 ? NO_MOVES : all.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}
