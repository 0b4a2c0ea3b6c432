import { setTimeout as pause } from 'node:timers/promises';
import type { Injector } from '../faults/injector.ts';
import type { Fault, ScheduledFault } from '../schedule/fault.ts';
import { now } from '../time/now.ts';
import type { Progress } from './suite.ts';

export interface PlayOptions {
  readonly schedule: readonly ScheduledFault[];
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Makes the faults of a schedule, until they and the time are over. Gives the number of those that had nobody to hit. */
export async function play(
  injector: Injector,
  { schedule, seconds, signal, onProgress }: PlayOptions,
): Promise<number> {
  const began = now();
  const elapsed = (): number => now() - began;
  let doing = 'no fault yet';
  const ticking = setInterval(
    () => onProgress({ seconds: Math.min(seconds, elapsed() / 1_000), doing }),
    250,
  );
  const faults: Promise<boolean>[] = [];
  try {
    for (const { at, fault } of schedule) {
      await pause(Math.max(0, at - elapsed()), undefined, { signal });
      doing = describe(fault);
      faults.push(injector.apply(fault));
    }
    await pause(Math.max(0, seconds * 1_000 - elapsed()), undefined, { signal });
  } finally {
    await Promise.allSettled(faults);
    clearInterval(ticking);
  }
  return (await Promise.all(faults)).filter((done) => !done).length;
}

function describe(fault: Fault): string {
  if ('worker' in fault) return `${fault.kind} ${fault.worker}`;
  return 'partition' in fault ? `${fault.kind} of partition ${fault.partition}` : fault.kind;
}
