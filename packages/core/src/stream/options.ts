import type { Codec } from '../state/codec.ts';

export interface OperatorOptions {
  /** Name shown in graphs and messages. Default: the operation's name. */
  readonly name?: string;
}

export interface StatefulOptions extends OperatorOptions {
  /**
   * Stable identity of the operator's state, `[A-Za-z0-9._-]{1,128}`, unique in the job. Without it the identity
   * comes from the position in the graph, so that a change of the graph loses sight of the state.
   */
  readonly uid?: string;
}

export interface KeyByOptions extends StatefulOptions {
  /**
   * `true`: the records of each key are in its partition already, `partitionOf(key, partitions)`, so none is sent to
   * another; a record that is somewhere else fails the run with `RS_NOT_COLOCATED`. Default `false`.
   */
  readonly colocated?: boolean;
}

export interface AccumulatorOptions<A> extends StatefulOptions {
  /** How the accumulated value is stored. Default: `jsonCodec()`. */
  readonly codec?: Codec<A>;
}

/**
 * `refire`: the window fires on time and again for each late record until lateness ends.
 * `postpone`: it fires once, when lateness ends.
 */
export type LatenessMode = 'refire' | 'postpone';

export interface LatenessOptions {
  /** How late records make the window fire. Default `refire`, also where the environment's default is another. */
  readonly mode?: LatenessMode;
}
