import type { SuiteReport } from './suite.ts';

/** One JSON document, for programs. */
export function jsonReport({ drivers, variants, equal }: SuiteReport): string {
  const cases = variants.map(({ variant: { name, area, partitions }, results }) => ({
    name,
    area,
    partitions,
    results: Object.fromEntries(Object.entries(results).map(([driver, { verdict }]) => [driver, verdict])),
  }));
  return `${JSON.stringify({ drivers, cases, equal }, undefined, 2)}\n`;
}
