import { setTimeout as pause } from 'node:timers/promises';
import { now } from '../time/now.ts';

/** Between two looks. */
export const POLL = 100;

/** @throws Error when the time is over; what the condition throws counts as not yet */
export async function until(
  what: string,
  timeout: number,
  signal: AbortSignal,
  condition: () => Promise<boolean>,
): Promise<void> {
  const deadline = now() + timeout;
  while (!(await condition().catch(() => false))) {
    if (now() > deadline) throw new Error(`Waited ${timeout / 1_000} s in vain for ${what}`);
    await pause(POLL, undefined, { signal });
  }
}
