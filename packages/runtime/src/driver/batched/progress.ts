import type { OperatorMeta } from '../../operator/operator.ts';
import type { Facts } from './plan-state.ts';

/** What a commit in the middle of a batch has left undone. */
export interface Progress {
  /**
   * Of the next item of the input so many records are done: of those that it became before the first barriers. They are
   * counted, so what makes them must make as many when it is called again after a crash.
   */
  readonly records: number;
  /** True when not all operators know how far time has come, or have timers left that are due. */
  readonly due: boolean;
  /** True when the next item may bring news of time that only some operators know already. */
  readonly repeats: boolean;
}

export const NO_PROGRESS: Progress = { records: 0, due: false, repeats: false };

/** Where it stands among the operators' facts. No operator has this id: uids have no colon. */
const ID = ':progress';

export function withProgress(facts: Facts, { records, due, repeats }: Progress): Facts {
  return records > 0 || due || repeats ? { ...facts, [ID]: { records, due, repeats } } : facts;
}

export function progressIn(facts: Facts): Progress {
  const stored: OperatorMeta | undefined = facts[ID];
  if (stored === undefined) return NO_PROGRESS;
  return {
    records: Number(stored['records']),
    due: stored['due'] === true,
    repeats: stored['repeats'] === true,
  };
}
