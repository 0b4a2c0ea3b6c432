import type { Outcome } from './outcome.ts';
import type { Variant } from './variant.ts';

/** One way to run a job. Everything that a new engine needs to be tested is one of these. */
export interface Driver {
  /** Short: it is the head of a column. */
  readonly name: string;
  /** False for what the engine is documented not to do. */
  supports(variant: Variant): boolean;
  /**
   * Runs the job over its messages to the end, from nothing.
   *
   * @param signal stops the run, whose outcome nobody waits for any more; a driver that cannot be stopped leaves it
   * @throws RsError the job's failure
   */
  run(variant: Variant, signal: AbortSignal): Promise<Outcome>;
}
