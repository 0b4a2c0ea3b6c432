import { RsError, isRsError } from '@rs/core';
import { type ConditionContext, isTrue } from '../pattern/condition.ts';
import type { ProgramCondition, Program } from '../program/program.ts';
import { chainOf, eventsOf, lastOf } from './bindings.ts';
import type { Run } from './run.ts';

type Call = (event: unknown, context: unknown) => unknown;

/**
 * Asks the conditions about the current event. What a condition answers without looking at its run's context holds for
 * all runs, so it is asked once per event; otherwise once per run.
 */
export class Evaluation {
  readonly #program: Program;
  readonly #calls: readonly Call[];
  readonly #context: RunContext;
  event: unknown;
  /**
   * Counts events, in steps of two, also those that are tried again after an error: then no answer may be left over. An
   * answer is stored as the round in which it was given, plus one for yes.
   */
  #round = 0;
  /** Per condition: what holds for all runs. */
  readonly #answers: number[];
  /** Per condition, where the answer depends on the run: the run that was asked last, and its answer. */
  readonly #askedFor: (Run | undefined)[];
  readonly #answersForRun: number[];

  constructor(program: Program) {
    this.#program = program;
    this.#calls = program.conditions.map(({ call }) => call as Call);
    this.#context = new RunContext(program);
    const count = program.conditions.length;
    this.#answers = new Array<number>(count).fill(0);
    this.#askedFor = new Array<Run | undefined>(count).fill(undefined);
    this.#answersForRun = new Array<number>(count).fill(0);
  }

  get timestamp(): number {
    return this.#context.timestamp;
  }

  begin(event: unknown, timestamp: number): void {
    this.#round += 2;
    this.event = event;
    this.#context.timestamp = timestamp;
  }

  /** Lets go of what the last event was asked with. */
  end(): void {
    this.event = undefined;
    this.#context.clear();
    if (this.#program.iterative) this.#askedFor.fill(undefined);
  }

  /** Whether a condition holds for the event and the run; negative indexes hold always. */
  holds(condition: number, run: Run | undefined): boolean {
    if (condition < 0) return true;
    const known = (this.#answers[condition] as number) - this.#round;
    if (known >= 0) return known === 1;
    const knownForRun = (this.#answersForRun[condition] as number) - this.#round;
    if (knownForRun >= 0 && this.#askedFor[condition] === run) return knownForRun === 1;
    return this.#ask(condition, run);
  }

  /** Whether a condition holds for the event, or may hold for some run. */
  mayHold(condition: number): boolean {
    if (condition < 0) return true;
    const known = this.#answers[condition] as number;
    if (known >= this.#round) return known > this.#round;
    // It has been asked already, and has looked at the run.
    if ((this.#answersForRun[condition] as number) >= this.#round) return true;
    try {
      const answer = this.#ask(condition, undefined);
      return answer || this.#context.used;
    } catch {
      // Perhaps it has missed what a run would have bound; perhaps no run asks it.
      return true;
    }
  }

  #ask(condition: number, run: Run | undefined): boolean {
    const context = this.#context;
    context.enter(run);
    let answer: boolean;
    try {
      const call = this.#calls[condition] as Call;
      answer = isTrue(call(this.event, context));
    } catch (error) {
      throw failure(this.#program.conditions[condition], error);
    }
    const stored = answer ? this.#round + 1 : this.#round;
    if (context.used) {
      this.#askedFor[condition] = run;
      this.#answersForRun[condition] = stored;
    } else {
      this.#answers[condition] = stored;
    }
    return answer;
  }
}

/** One object for all calls: a condition that keeps it would see other runs. */
class RunContext implements ConditionContext<Record<string, unknown>> {
  readonly #program: Program;
  #run: Run | undefined;
  #events: Record<string, unknown[]> | undefined;
  timestamp = 0;
  /** Whether the condition has looked at what the run has bound. */
  used = false;

  constructor(program: Program) {
    this.#program = program;
  }

  enter(run: Run | undefined): void {
    if (run !== this.#run) {
      this.#run = run;
      this.#events = undefined;
    }
    this.used = false;
  }

  clear(): void {
    this.#run = undefined;
    this.#events = undefined;
  }

  get events(): Record<string, unknown[]> {
    this.used = true;
    return (this.#events ??= eventsOf(chainOf(this.#run), this.#program.stages));
  }

  /** A property, so that conditions can take it out: `(event, { last }) => …`. */
  readonly last = (stage: string): unknown => {
    this.used = true;
    const { stages } = this.#program;
    for (const { name, index } of stages) if (name === stage) return lastOf(this.#run, index)?.event.event;
    return undefined;
  };
}

function failure(condition: ProgramCondition | undefined, error: unknown): unknown {
  const what = condition?.what ?? 'condition';
  const details = { condition: what, stage: condition?.stage };
  const text = error instanceof Error ? error.message : String(error);
  if (isRsError(error)) {
    return new RsError(error.code, `pattern: ${what}: ${text}`, {
      cause: error,
      details: { ...error.details, ...details },
      retriable: error.retriable,
    });
  }
  return new RsError('RS_USER_FUNCTION_FAILED', `pattern: ${what} failed: ${text}`, {
    cause: error,
    details,
  });
}
