import type { PatternSequence } from './pattern-sequence.ts';

/** The events of a match, or of one that has begun, by the index of their step; steps without events are left out. */
export type EventsByStep<T> = Readonly<Record<number, readonly T[]>>;

/** A sequence of events that is whole. */
export class CompleteMatch<T> {
  /** In the order of steps, which is that of their coming. */
  readonly events: readonly T[];
  readonly eventsByStep: EventsByStep<T>;
  /** Time of the first event, epoch milliseconds. */
  readonly startTs: number;
  /** Time of the last event, epoch milliseconds. */
  readonly endTs: number;

  constructor(events: readonly T[], eventsByStep: EventsByStep<T>, startTs: number, endTs: number) {
    this.events = events;
    this.eventsByStep = eventsByStep;
    this.startTs = startTs;
    this.endTs = endTs;
  }

  /** Milliseconds; negative when events came out of order. */
  get duration(): number {
    return this.endTs - this.startTs;
  }

  /** The events of the first step of that name; none when the sequence has no such step. */
  getEventsForStep(name: string, sequence: PatternSequence<T>): readonly T[] {
    const index = sequence.steps.findIndex((step) => step.name === name);
    return this.eventsByStep[index] ?? [];
  }
}
