import type { Payment } from '../../load/payment.ts';
import type { Work } from '../../load/work.ts';
import { SessionFold } from './session-fold.ts';
import { SumFold } from './sum-fold.ts';
import { WindowFold } from './window-fold.ts';

/** What Redis has to be told after a batch. Each is a flat list: names and values, or names. */
export interface Changes {
  readonly state: readonly string[];
  readonly gone: readonly string[];
  readonly results: readonly string[];
}

/** The sums of one partition in memory: what a hand-written program would keep. */
export interface Fold {
  add(payment: Payment): void;
  /**
   * Takes what has changed since the last time.
   *
   * @param watermark nothing before it comes any more; `Infinity` at the end
   */
  take(watermark: number): Changes;
}

export function foldOf(work: Work): Fold {
  switch (work.kind) {
    case 'sum':
      return new SumFold();
    case 'tumbling':
      return new WindowFold(work.size, work.size);
    case 'sliding':
      return new WindowFold(work.size, work.slide);
    case 'sessions':
      return new SessionFold(work.gap);
  }
}
