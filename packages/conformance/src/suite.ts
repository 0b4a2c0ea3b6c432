import { isRsError, RsError } from '@rs/core';
import { systemScheduler } from '@rs/runtime';
import { compare, type Ordering } from './compare.ts';
import type { Driver } from './driver.ts';
import type { Outcome } from './outcome.ts';
import { isOrdered, type Variant } from './variant.ts';

export type Verdict = 'equal' | 'different' | 'unsupported';

/** What became of a variant on a driver. */
export interface Result {
  readonly verdict: Verdict;
  /** Lines for people; none unless it is different. */
  readonly differences: readonly string[];
}

export interface VariantReport {
  readonly variant: Variant;
  /** By name of driver. */
  readonly results: Readonly<Record<string, Result>>;
}

export interface SuiteReport {
  readonly drivers: readonly string[];
  readonly variants: readonly VariantReport[];
  /** True when no result is different. */
  readonly equal: boolean;
}

export interface SuiteOptions {
  /** The first one that supports a case without expectation says what the others must give. */
  readonly drivers: readonly Driver[];
  /** Milliseconds that a run may take. Default two minutes. */
  readonly timeout?: number;
  /** Variants that are run at the same time. More pass the time in which runs wait for something. Default 1. */
  readonly concurrency?: number;
  /** Told after each variant. */
  readonly onProgress?: (done: number) => void;
}

const UNSUPPORTED: Result = { verdict: 'unsupported', differences: [] };
const TIMEOUT = 120_000;

/** Runs every variant on every driver, one driver after the other. */
export async function runSuite(
  variants: readonly Variant[],
  { drivers, timeout = TIMEOUT, concurrency = 1, onProgress = () => undefined }: SuiteOptions,
): Promise<SuiteReport> {
  const reports = new Map<Variant, VariantReport>();
  const left = variants.values();
  const runOneByOne = async (): Promise<void> => {
    for (const variant of left) {
      reports.set(variant, { variant, results: await resultsOf(variant, drivers, timeout) });
      onProgress(reports.size);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runOneByOne));
  const inOrder = variants.flatMap((variant) => reports.get(variant) ?? []);
  const equal = inOrder.every(({ results }) =>
    Object.values(results).every(({ verdict }) => verdict !== 'different'),
  );
  return { drivers: drivers.map(({ name }) => name), variants: inOrder, equal };
}

async function resultsOf(
  variant: Variant,
  drivers: readonly Driver[],
  timeout: number,
): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {};
  const expected = await expectationOf(variant, drivers, timeout);
  for (const driver of drivers) {
    results[driver.name] = driver.supports(variant)
      ? judge(variant, expected, await attempt(driver, variant, timeout))
      : UNSUPPORTED;
  }
  return results;
}

/** An outcome, or what was thrown in its place. */
type Attempt = { readonly outcome: Outcome } | { readonly error: unknown };

/** What a variant must give; where nobody says so, what the first driver gives. */
export async function expectationOf(
  variant: Variant,
  drivers: readonly Driver[],
  timeout = TIMEOUT,
): Promise<Attempt> {
  const { expected, late = {}, messages } = variant;
  if (typeof expected === 'function') return { outcome: expected(messages) };
  if (expected !== 'agreement') return { outcome: { sinks: expected, late } };
  const first = drivers.find((driver) => driver.supports(variant));
  if (first !== undefined) return attempt(first, variant, timeout);
  return { error: new RsError('RS_UNSUPPORTED', 'no driver supports the case') };
}

/** Runs a variant on a driver. A run that takes too long is stopped, so that it does not go on beside the next ones. */
export async function attempt(driver: Driver, variant: Variant, timeout = TIMEOUT): Promise<Attempt> {
  const controller = new AbortController();
  let cancel = (): void => undefined;
  const late = new Promise<Attempt>((resolve) => {
    cancel = systemScheduler.after(timeout, () => {
      const error = new RsError('RS_UNSUPPORTED', `the run did not end within ${timeout} ms`);
      resolve({ error });
      controller.abort(error);
    });
  });
  const run = driver.run(variant, controller.signal).then(
    (outcome): Attempt => ({ outcome }),
    (error: unknown): Attempt => ({ error }),
  );
  try {
    return await Promise.race([run, late]);
  } finally {
    cancel();
  }
}

/** Compares what was expected with what a driver gave. */
export function judge(variant: Variant, expected: Attempt, actual: Attempt): Result {
  const differences = [...differencesOf(variant, expected, actual)];
  return { verdict: differences.length === 0 ? 'equal' : 'different', differences };
}

function differencesOf(variant: Variant, expected: Attempt, actual: Attempt): string[] {
  const { fails } = variant;
  if (fails !== undefined) {
    if ('error' in actual && isRsError(actual.error, fails)) return [];
    return [`expected a failure with ${fails}, got ${'error' in actual ? shown(actual.error) : 'none'}`];
  }
  if ('error' in expected) return [`there is nothing to compare with: ${shown(expected.error)}`];
  if ('error' in actual) return [`the run failed: ${shown(actual.error)}`];
  return compare(expected.outcome, actual.outcome, orderingOf(variant));
}

function orderingOf(variant: Variant): Ordering {
  const { anyOrder, keyOf } = variant;
  if (anyOrder === true) return { type: 'none' };
  if (isOrdered(variant)) return { type: 'all' };
  return keyOf === undefined ? { type: 'none' } : { type: 'by key', keyOf };
}

function shown(error: unknown): string {
  if (isRsError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
