import { RsError } from '@rs/core';
import type { EventsByStep } from './complete-match.ts';

/** An event that was taken, and all that were taken before it. Shared by all partial matches that go on from it. */
export interface Take<T> {
  readonly previous: Take<T> | undefined;
  readonly step: number;
  readonly event: T;
}

/** What has begun, or with a `step` behind the last: what is whole. Immutable, so a copy is the thing itself. */
export interface PartialMatch<T> {
  readonly last: Take<T> | undefined;
  /** Index of the step that is being filled. It never becomes less, so events in order are events by step. */
  readonly step: number;
  /** Events of that step. */
  readonly count: number;
  readonly startTs: number;
}

/** What has begun, as plain data: the form in which it is exported and stored. */
export interface PartialMatchState<T> {
  /** Time of the first event, epoch milliseconds. */
  readonly startTimestamp: number;
  /** Index of the step that is being filled. */
  readonly currentStep: number;
  readonly eventsByStep: EventsByStep<T>;
}

export function eventsOf<T>({ last }: PartialMatch<T>): T[] {
  const events: T[] = [];
  for (let take = last; take !== undefined; take = take.previous) events.push(take.event);
  return events.reverse();
}

export function eventsByStep<T>({ last }: PartialMatch<T>): Record<number, T[]> {
  const byStep: Record<number, T[]> = {};
  for (let take = last; take !== undefined; take = take.previous) (byStep[take.step] ??= []).push(take.event);
  for (const events of Object.values(byStep)) events.reverse();
  return byStep;
}

export function stateOf<T>(partial: PartialMatch<T>): PartialMatchState<T> {
  return {
    startTimestamp: partial.startTs,
    currentStep: partial.step,
    eventsByStep: eventsByStep(partial),
  };
}

/**
 * The partial match that has the state. Events are added step by step, which is the order in which they came.
 *
 * @throws RsError `RS_INVALID_VALUE` for what a matcher of a sequence with that many steps has not exported
 */
export function partialOf<T>(state: PartialMatchState<T>, steps: number): PartialMatch<T> {
  const { startTimestamp, currentStep, eventsByStep: byStep } = shaped(state);
  if (!Number.isSafeInteger(startTimestamp)) throw invalid('startTimestamp must be an integer');
  if (!Number.isSafeInteger(currentStep) || currentStep < 0 || currentStep >= steps) {
    throw invalid(`its step is ${String(currentStep)}, but the sequence has ${steps} steps`);
  }
  let last: Take<T> | undefined;
  let count = 0;
  // Whatever the order of the properties, those whose names are integers are listed in ascending order.
  for (const [name, events] of Object.entries(byStep)) {
    const step = Number(name);
    if (String(step) !== name || !Number.isSafeInteger(step) || step < 0 || step > currentStep) {
      throw invalid(`it has events of step '${name}', but is in step ${currentStep}`);
    }
    if (!Array.isArray(events)) throw invalid(`the events of step ${step} are not a list`);
    for (const event of events as readonly T[]) last = { previous: last, step, event };
    if (step === currentStep) count = events.length;
  }
  return { last, step: currentStep, count, startTs: startTimestamp };
}

function shaped<T>(state: PartialMatchState<T>): PartialMatchState<T> {
  const given: unknown = state;
  if (typeof given !== 'object' || given === null) throw invalid('it is not an object');
  const { eventsByStep: byStep } = given as Readonly<Record<keyof PartialMatchState<T>, unknown>>;
  if (typeof byStep !== 'object' || byStep === null) throw invalid('eventsByStep must be an object');
  return state;
}

function invalid(reason: string): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    `a partial match cannot be restored: ${reason}; hand over what exportPartialMatches() of a matcher of the same sequence returned`,
    { details: { reason } },
  );
}
