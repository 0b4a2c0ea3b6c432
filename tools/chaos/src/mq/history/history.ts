import type { Promised } from '../check/violation.ts';
import type { Disturbance } from '../../faults/disturbance.ts';
import type { Position, Result } from './entry.ts';
import type { Lag } from '../../time/lag.ts';
import type { Incarnation } from '../../processes/incarnation.ts';
import type { MessageName } from '../load/plan.ts';
import type { DeadLetter, LogEntry, PartitionState } from '../redis/stored.ts';

/** A handler's work on a message. Times are those of the monotonic clock. */
export interface Handling extends Position {
  readonly incarnation: string;
  readonly epoch: number;
  readonly attempt: number;
  readonly called: number;
  readonly start: number;
  /** `undefined` when its process ended in the middle of it. */
  readonly end: number | undefined;
  readonly result: Result | undefined;
  /** It was told to give up before its end. */
  readonly aborted: boolean;
}

/** The time in which a process held a partition. */
export interface Tenure {
  readonly incarnation: string;
  readonly partition: number;
  readonly epoch: number;
  readonly from: number;
  /** `undefined` while it goes on. */
  readonly until: number | undefined;
  /** `ungrouped`: given up since the group had vanished. `ended`: its process ended without giving it back. */
  readonly how: 'released' | 'lost' | 'ungrouped' | 'killed' | 'ended' | undefined;
}

export interface Closing {
  readonly incarnation: string;
  readonly at: number;
  readonly budget: number;
  /** `undefined` when the process was killed meanwhile. */
  readonly took: number | undefined;
  readonly abandoned: number;
  readonly unreleased: number;
}

export interface Sent extends MessageName {
  readonly incarnation: string;
  readonly at: number;
}

/** Something that was seen and must not be, whoever saw it. */
export interface Sighting {
  readonly promise: Promised;
  readonly at: number;
  readonly what: string;
}

/** Everything that is known of a run. */
export interface History {
  readonly seed: number;
  readonly lease: number;
  /** Epoch milliseconds minus monotonic ones. */
  readonly wallOffset: number;
  readonly incarnations: readonly Incarnation[];
  readonly disturbances: readonly Disturbance[];
  readonly sent: readonly Sent[];
  readonly confirmed: readonly (Sent & Position)[];
  readonly refused: readonly (Sent & { readonly code: string; readonly fate: string })[];
  readonly log: readonly LogEntry[];
  readonly deadLetters: readonly DeadLetter[];
  /** In the order of their starts. */
  readonly handlings: readonly Handling[];
  readonly tenures: readonly Tenure[];
  readonly closings: readonly Closing[];
  readonly lags: readonly Lag[];
  /** Bytes that changed on their way, leases that went back, entries that were gone. */
  readonly sightings: readonly Sighting[];
  readonly states: readonly PartitionState[];
  /** Milliseconds from the end of the load until everything was settled; `undefined` when that did not happen. */
  readonly drained: number | undefined;
}

/** Of a message, in a text that others can be compared with. */
export function placeOf({ partition, id }: Position): string {
  return `${partition}/${id}`;
}
