import type { ConformanceCase } from '../case.ts';
import type { Driver } from '../driver.ts';
import type { Outcome } from '../outcome.ts';
import { variantsOf, type Variant } from '../variant.ts';

/** A case about nothing; what it expects is what a test is about. */
export function aCase(changed: Partial<ConformanceCase> = {}): ConformanceCase {
  return {
    name: 'a case',
    area: 'stateless',
    input: [{ topic: 'events', key: 'a', value: 1, timestamp: 1 }],
    define: () => undefined,
    expected: { out: ['a 1', 'b 1', 'a 2'] },
    ...changed,
  };
}

/** The case with this number of partitions. */
export function aVariant(partitions: number, changed: Partial<ConformanceCase> = {}): Variant {
  const [variant] = variantsOf(aCase({ ...changed, partitions: [partitions] }));
  return variant as Variant;
}

/** A driver that gives these values in the sink `out`. */
export function giving(out: readonly unknown[], late: Outcome['late'] = {}, name = 'fake'): Driver {
  return { name, supports: () => true, run: () => Promise.resolve({ sinks: { out }, late }) };
}

export function failing(error: unknown): Driver {
  return { name: 'fake', supports: () => true, run: () => Promise.reject(error) };
}
