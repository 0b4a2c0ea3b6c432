import { type Evictor, RsError, type Trigger, type WindowAssigner } from '@rs/core';
import { checkChoice, checkMethods } from './checks.ts';

export function checkAssigner(assigner: WindowAssigner<never>): void {
  const methods = ['assignWindows', 'getDefaultTrigger', 'supportsWindowMerging', 'describe'];
  checkMethods(assigner, methods, 'window', 'a window assigner');
  checkChoice(assigner.timeDomain, ['event', 'processing'], "window: the assigner's timeDomain");
}

export function checkTrigger(trigger: Trigger<never>): void {
  checkMethods(trigger, ['onElement', 'onEventTime', 'onProcessingTime'], 'trigger', 'a trigger');
}

/** A trigger is synchronous: it cannot wait for what it reads. */
export function checkTriggerStates({ states = [] }: Trigger<never>, operation: string): void {
  const large = states.find(({ kind }) => kind === 'largeMap');
  if (large === undefined) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation}: its trigger has the large map '${large.name}' among its states, but a trigger cannot wait for what it reads; use mapState`,
    { details: { state: large.name } },
  );
}

export function checkEvictor<T>(evictor: Evictor<T>): void {
  checkMethods(evictor, ['describe'], 'evictor', 'an evictor');
  if (evictor.evictBefore !== undefined || evictor.evictAfter !== undefined) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    'evictor: it has neither evictBefore nor evictAfter, so it would keep everything',
  );
}
