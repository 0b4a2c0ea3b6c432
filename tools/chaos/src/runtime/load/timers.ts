import { hash } from '../../seed/hash.ts';
import { LOAD } from './settings.ts';

/** Some lie in the past already. */
const IN_THE_PAST = 150;

/** The event time of the timer that a record asks for. */
export function timerOf(seed: number, { n, time }: { readonly n: number; readonly time: number }): number {
  return time - IN_THE_PAST + (hash(seed, n, 'timer') % LOAD.timers.event);
}

/** Whether a record takes back the timer that the record before it in its key has asked for. */
export function takesBack(seed: number, n: number): boolean {
  return hash(seed, n, 'takes back') % 10 === 0;
}

/** Milliseconds from the moment in which a record is processed to its processing-time timer. */
export function delayOf(seed: number, n: number): number {
  return hash(seed, n, 'delay') % LOAD.timers.processing;
}
