import type { SourceNode } from '../graph/node.ts';
import type { AnyReceiver } from '../operator/receiver.ts';
import type { Task } from '../operator/task.ts';

/** `more`: ask again; `ended`: there is nothing left; a promise: ask again once it is settled. */
export type PumpResult = 'more' | 'ended' | PromiseLike<unknown>;

/** The reader of one partition of a source. */
export interface PartitionReader {
  readonly source: SourceNode;
  readonly partition: number;
  readonly reader: SourceReader;
}

/** Reads one partition of a source in one run. */
export interface SourceReader {
  /** How messages call the source. */
  readonly name: string;
  open?(): unknown;
  /** False when it is known that there is nothing to read now; asked before the first record. */
  ready?(): boolean;
  /** How many records were handed to `out`, in this run and those that it goes on from. */
  position(): number;
  /**
   * Begins behind as many records. Called before everything else, or not at all. A source that has fewer fails with
   * `RS_CHECKPOINT_MISMATCH`, here or when it is read.
   */
  seek(position: number): void;
  /** Sends at most `limit` records to `out`, and stops early when the task asks for attention. */
  pump(out: AnyReceiver, task: Task, limit: number): PumpResult;
  /** The run is being stopped; `pump` is not called any more. Nobody waits for a promise, but its error is told. */
  cancel?(): unknown;
  /** Called once at the end, also after a failure. */
  close?(): unknown;
}
