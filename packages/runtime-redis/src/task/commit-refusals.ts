import { isRsError, RsError } from '@rs/core';

/** What Redis refuses writes for until somebody does something about it. */
const ADVICE: Readonly<Record<string, string>> = {
  OOM: 'Redis has no memory left: raise maxmemory, or make room',
  MISCONF: 'Redis cannot save to its disk: see its log, and make room there',
  NOREPLICAS: 'Redis has fewer replicas than min-replicas-to-write asks for: bring them back',
};

/**
 * Tells of commits that Redis refuses, once and at the first refusal: until the time of the call is up it is sent again, and the task stands
 * still.
 */
export class CommitRefusals {
  readonly #onRefused: (error: RsError) => void;
  #told = false;

  constructor(onRefused: (error: RsError) => void) {
    this.#onRefused = onRefused;
  }

  refused(error: RsError): void {
    const advice = adviceOn(error);
    if (this.#told || advice === undefined) return;
    this.#told = true;
    this.#onRefused(advised(error, advice));
  }

  /** A commit was answered. */
  answered(): void {
    this.#told = false;
  }

  /** What a call has failed with in the end, with what to do about it. */
  explained(error: unknown): unknown {
    const cause = isRsError(error) && isRsError(error.cause) ? error.cause : undefined;
    const advice = cause === undefined ? undefined : adviceOn(cause);
    return isRsError(error) && advice !== undefined ? advised(error, advice) : error;
  }
}

function adviceOn({ details: { prefix } }: RsError): string | undefined {
  return typeof prefix === 'string' && Object.hasOwn(ADVICE, prefix) ? ADVICE[prefix] : undefined;
}

function advised(error: RsError, advice: string): RsError {
  return new RsError(
    error.code,
    `a commit is refused. ${advice}; it is made again until it succeeds. ${error.message}`,
    {
      cause: error,
      details: error.details,
    },
  );
}
