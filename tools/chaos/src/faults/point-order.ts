import type { FaultPoint } from '../schedule/fault.ts';

/** What a worker is asked to do to itself when it comes to a point of its work: to kill itself, or to lose the reply. */
export interface PointOrder extends FaultPoint {
  readonly what: 'die' | 'lose';
}
