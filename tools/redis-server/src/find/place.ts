import type { Program } from '../machine/machine.ts';

/** Prints one line for the user, or keeps it. */
export type Say = (line: string) => void;

/** One of the ways to come by a Redis. */
export interface Place {
  /** What a user can do to make this way work, for the error when none does: `start a Docker daemon`. */
  readonly advice?: string;
  /**
   * Undefined when there is nothing here, or this way does not exist on this machine.
   *
   * @throws Unusable when there is something that cannot be used
   */
  look(say: Say): Promise<Program | undefined>;
}
