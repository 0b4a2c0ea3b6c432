import type { ChainedJob } from '../driver/chained.ts';
import { loadTimers } from '../time/load-timers.ts';
import { decodeStates, instanceOf, placeProblems, type StoredSnapshot, throwIfAny } from './placement.ts';

/**
 * Replaces the keyed state and the timers of a running job, also while user code of it is on the stack. Time does not go
 * back: watermarks, clocks and the positions of sources stay. State that was not declared yet waits for that.
 *
 * @throws RsError as `resumeJob`; nothing was changed then
 */
export function replaceState(job: ChainedJob, { checkpointId, snapshot }: StoredSnapshot): void {
  throwIfAny(checkpointId, placeProblems(job, snapshot));
  const puts = decodeStates(job, snapshot);
  for (const put of puts) put();
  for (const { operators } of job.plans) {
    for (const { instance } of operators) {
      instance.timers?.event.clear();
      instance.timers?.processing.clear();
    }
  }
  for (const operator of snapshot.operators) {
    const instance = instanceOf(job, operator);
    if (instance !== undefined) loadTimers(instance, operator);
  }
}
