/**
 * What a queue takes. It writes its own facts into the entry: so adding, starting and ending an entry makes no object. An entry
 * belongs to one queue.
 */
export interface QueueEntry {
  /** What orders it with others under `ordering: 'key'`; without one nothing does. */
  readonly key: string | undefined;
  /** Written by the queue: the place in the order of adding. */
  queueTurn: number;
  /** Written by the queue: when a parked entry is due. */
  queueDue: number;
  /** Written by the queue. */
  queueState: QueueState;
}

/** `new`: not added yet. `waiting`: may start when it is its turn. `parked`: may not before it is due. `gone`: ended or given back. */
export type QueueState = 'new' | 'waiting' | 'parked' | 'running' | 'gone';

/** The queue's fields of an entry that is not in a queue yet. */
export const NOT_QUEUED: Readonly<Pick<QueueEntry, 'queueTurn' | 'queueDue' | 'queueState'>> = {
  queueTurn: 0,
  queueDue: 0,
  queueState: 'new',
};
