import type { Receiver } from './receiver.ts';
import type { Timer } from '../time/timer-entry.ts';
import type { Prefetcher, TimerQueues, Want } from './keyed-group.ts';
import type { TimerKind } from './timed-operator.ts';

/** Facts that an operator keeps besides keyed state and timers, committed with every batch. Numbers may be infinite. */
export type OperatorMeta = Readonly<
  Record<string, string | number | boolean | null | readonly (number | string | boolean)[]>
>;

/** What a driver needs of an operator besides its inputs. All parts are optional. */
export interface OperatorParts {
  /** Called before the first item. */
  open?(): void;
  /** Says to those behind it what is known before the first item: called once for a new task, after `open`. */
  begin?(): void;
  /** Called once when the run is over, also after a failure. */
  close?(): unknown;
  /** Present when a batch barrier must stand before the operator. */
  readonly prefetcher?: Prefetcher;
  readonly timers?: TimerQueues;
  /** Turns the text of a timer's namespace back into what the operator uses. */
  parseNamespace?(text: string): string | number;
  /** Names the cells that {@link discardTimer} needs. */
  wantTimer?(timer: Timer, want: Want): void;
  /** Gives up a timer without firing it, and what ends with it. */
  discardTimer?(kind: TimerKind, timer: Timer): void;
  /** The facts at the end of a batch. */
  meta?(): OperatorMeta;
  /** Takes back earlier facts: after a crash on a new operator, after a failed batch on the same one. */
  restore?(meta: OperatorMeta): void;
  /** Time at which a processing-time timer is due, `Infinity` when none is. */
  nextProcessingTime?(): number;
  /** The real clock has reached `now`. */
  advanceProcessingTime?(now: number): void;
  /** Asks an operator that watches for idleness. */
  checkIdle?(now: number): void;
}

/** An operator on one partition: its inputs, in the order of the graph's edges, and its parts. */
export interface OperatorInstance extends OperatorParts {
  readonly inputs: readonly Receiver<never>[];
}
