import type { RsError } from '@rs/core';
import { failureKind } from './failure.ts';
import type { TaskControl } from './task-control.ts';

const PAUSE = { first: 20, longest: 1_000 } as const;

/**
 * Makes a call until it has an answer, or an error that another attempt would not change, or the task is lost: then nobody may go on
 * anyway.
 */
export function insistently(
  control: TaskControl,
  onTrouble: (error: unknown) => void,
): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    for (let pause: number = PAUSE.first; ; pause = Math.min(pause * 2, PAUSE.longest)) {
      try {
        const answer = await call();
        control.troubled = false;
        return answer;
      } catch (error) {
        const lost: RsError | undefined = control.lost;
        if (lost !== undefined) throw lost;
        if (failureKind(error, false) !== 'redis') throw error;
        control.troubled = true;
        onTrouble(error);
        await control.patience(pause);
      }
    }
  };
}
