import type { Logger } from '@rs/core';
import type { Timers } from '../../time/timers.ts';
import type { ResolvedBatch } from '../options/batch.ts';
import type { ResolvedSubscription } from '../options/subscription.ts';
import type { Lease, PartitionScripts } from '../partition/partition-scripts.ts';
import type { LaneEvents } from './lane-events.ts';
import type { Runner, RunnerHost } from './runner.ts';

export interface Bell {
  /** Rings the lane once the partition has an entry after `after`, or redelivers one after `again`. */
  watch(after: string, again: string): void;
  unwatch(): void;
}

export interface LaneOptions {
  readonly scripts: PartitionScripts;
  readonly lease: Lease;
  readonly subscription: ResolvedSubscription;
  readonly batch: ResolvedBatch | undefined;
  readonly makeRunner: (host: RunnerHost) => Runner;
  readonly bell: Bell;
  readonly timers: Timers;
  readonly random: () => number;
  readonly logger: Logger;
  readonly events: LaneEvents;
  /** Milliseconds of the timers' time up to which the lease holds for sure. */
  readonly deadline: number;
  readonly paused: boolean;
  /** Called once, when the lane has ended for whatever reason. Handlers may still run. */
  readonly onEnd: () => void;
}
