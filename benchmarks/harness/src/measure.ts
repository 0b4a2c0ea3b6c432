import { median } from './statistics.ts';
import type { Case, Figure, Role, Sample, Variant } from './suite.ts';

/** One variant over all counted rounds. */
export interface Measured {
  readonly name: string;
  readonly role: Role;
  /** In the unit of the case. */
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly records: number;
  readonly figures: Readonly<Record<string, number>>;
}

/**
 * Runs all variants in turn, round by round, so that a machine that slows down slows down all of them. One more round comes first,
 * to warm up; only its result counts.
 *
 * @throws Error when a variant's result differs from that of the first one
 */
export async function measureCase(
  variants: readonly Variant[],
  rounds: number,
  figures: Case['figures'],
): Promise<Measured[]> {
  const runs = variants.map((variant) => ({ variant, samples: [] as Sample[] }));
  let expected: string | undefined;
  for (let round = 0; round <= rounds; round++) {
    for (const { variant, samples } of runs) {
      const sample = await variant.run();
      expected ??= sample.result;
      if (sample.result !== expected) {
        throw new Error(`wrong result of ${variant.name}: ${sample.result}; expected: ${expected}`);
      }
      if (round > 0) samples.push(sample);
    }
  }
  return runs.map(({ variant, samples }) => measured(variant, samples, figures));
}

function measured({ name, role }: Variant, samples: readonly Sample[], figures: Case['figures']): Measured {
  const values = samples.map(({ value }) => value);
  return {
    name,
    role,
    median: median(values),
    min: Math.min(...values),
    max: Math.max(...values),
    records: median(samples.map(({ records }) => records)),
    figures: Object.fromEntries(
      Object.entries(figures).flatMap(([key, figure]) => figureOf(key, figure, samples)),
    ),
  };
}

function figureOf(key: string, figure: Figure, samples: readonly Sample[]): [string, number][] {
  const values = samples.flatMap(({ figures }) => figures?.[key] ?? []);
  return values.length === 0 ? [] : [[key, figure.of(values)]];
}
