import type { MoveSet } from '../program/move-set.ts';
import type { Bucket } from './live-runs.ts';

/** An event that runs hold, stored once. */
export interface StoredEvent {
  /** Its position among all events that were processed. */
  readonly seq: number;
  readonly timestamp: number;
  readonly event: unknown;
  /** Takes that refer to it. */
  refs: number;
}

/** A run not yet part of the state. */
export const UNLINKED = -1;

/**
 * A chain of takes, told by its last one, and the ways in which it can go on. Chains share their beginnings: the parents
 * of runs form a tree.
 */
export interface Run {
  id: number;
  readonly parent: Run | undefined;
  readonly stage: number;
  /** The last take of another stage before it. */
  readonly before: Run | undefined;
  readonly event: StoredEvent;
  readonly first: StoredEvent;
  /** Number of takes. */
  readonly length: number;
  /** Empty where only continuations, or a match that waits, need the run still. */
  moves: MoveSet;
  /** Its place among the live runs; `undefined` when it is none. */
  bucket: Bucket | undefined;
  /** Whether it was a match itself: then it does not count as timed out. */
  matched: boolean;
  /** Continuations, a place among the live runs, waiting matches. */
  refs: number;
}
