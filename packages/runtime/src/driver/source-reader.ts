import type { AnyReceiver } from '../operator/receiver.ts';
import type { Task } from '../operator/task.ts';

/** `more`: ask again; `ended`: there is nothing left; a promise: ask again once it is settled. */
export type PumpResult = 'more' | 'ended' | PromiseLike<unknown>;

/** Reads one source of one run. */
export interface SourceReader {
  /** How messages call the source. */
  readonly name: string;
  open?(): unknown;
  /** Sends at most `limit` records to `out`, and stops early when the task asks for attention. */
  pump(out: AnyReceiver, task: Task, limit: number): PumpResult;
  /** The run is being stopped; `pump` is not called any more. Nobody waits for a promise, but its error is told. */
  cancel?(): unknown;
  /** Called once at the end, also after a failure. */
  close?(): unknown;
}
