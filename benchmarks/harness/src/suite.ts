/** A folder of benchmarks with a `src/suite.ts` that exports one as `suite` is one of the suites of the command. */
export interface Suite {
  readonly name: string;
  /** Gets ready what all cases share, such as a server. */
  open(): OpenSuite | Promise<OpenSuite>;
}

export interface OpenSuite {
  /** Version of the server; `null` for a suite that needs none. */
  readonly redis: string | null;
  /** The first one is the headline. */
  readonly cases: readonly Case[];
  close?(): Promise<void>;
}

/** For `records/s` more is better, for the others less. */
export type Unit = 'records/s' | 'ms' | 'bytes/record';

/** One kind of work, to be done in several ways. */
export interface Case {
  readonly name: string;
  readonly unit: Unit;
  /** What is told beside the values, by name. Those that are not named here are left out. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** Called before its first round. */
  open(): OpenCase | Promise<OpenCase>;
}

export interface OpenCase {
  /** Exactly one is ours and one the limit. */
  readonly variants: readonly Variant[];
  /** Figures of the case as a whole, after its last round. */
  extra?(): Readonly<Record<string, number>>;
  close?(): Promise<void>;
}

/** `limit`: by hand, as fast as it is known to go. `aside`: told too, but without a ratio to it. */
export type Role = 'ours' | 'limit' | 'peer' | 'aside';

/** One way to do the work. */
export interface Variant {
  /** As people read it; that of our own is `@rs`. */
  readonly name: string;
  readonly role: Role;
  /**
   * Does all of the work once.
   *
   * @throws Error when the result is wrong: it fails the run
   */
  run(): Sample | Promise<Sample>;
}

/** What one run has shown. */
export interface Sample {
  /** In the unit of the case. */
  readonly value: number;
  readonly records: number;
  /** What came out, as text, where all runs of a case must have the same. */
  readonly result?: string;
  readonly figures?: Readonly<Record<string, number>>;
}

/** How a figure is put together and told. */
export interface Figure {
  /** Makes one of those of all rounds. */
  of(values: readonly number[]): number;
  /** Digits behind the point. */
  readonly digits: number;
  text(value: string): string;
}
