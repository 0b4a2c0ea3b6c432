import type { createColors } from 'picocolors';
import type { Options } from '../options.ts';
import type { Broken } from '../report/broken.ts';

export interface RunOptions extends Pick<Options, 'seconds' | 'rate' | 'keep'> {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Is told what goes on. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  /** Seconds of the load so far. */
  readonly seconds: number;
  readonly doing: string;
}

/** What came of a run. */
export interface Outcome {
  /** What `--json` prints. */
  readonly report: { readonly violations: readonly Broken[] };
  /** The same for people. */
  text(colors: ReturnType<typeof createColors>): string;
}

/** Something that is run under faults. Gives `undefined` when it was interrupted. @throws Error where no Redis is found or workers do not come up */
export type Suite = (options: RunOptions) => Promise<Outcome | undefined>;
