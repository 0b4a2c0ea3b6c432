import type { GroupPartition } from '../partition/group-partition.ts';
import type { Lease } from '../partition/partition-scripts.ts';
import type { DeadReason } from './settle-batch.ts';

/** What lanes tell the outside: logs and diagnostics. */
export interface LaneEvents {
  acquired(place: GroupPartition, lease: Lease): void;
  released(place: GroupPartition): void;
  retried(place: GroupPartition, messageId: string, failed: number, error: unknown): void;
  dead(place: GroupPartition, messageId: string, reason: DeadReason, error: unknown): void;
  /** Entries that were delivered and that retention has removed before they were settled. */
  entriesLost(place: GroupPartition, ids: readonly string[]): void;
  /** Entries that retention has removed before they were delivered at all. */
  entriesMissed(place: GroupPartition, count: number): void;
  lost(place: GroupPartition, error: unknown): void;
  policyFailed(place: GroupPartition, error: unknown): void;
  /** A lease, or a place in the group, could not be given back: it ends by itself. */
  unreleased(place: GroupPartition, error: unknown): void;
  /** Something that is tried again did not work. */
  trouble(place: GroupPartition, what: string, error: unknown): void;
}
