import type { Area, ConformanceCase } from '../case.ts';

/** The cases of one file. */
export function inArea(area: Area, cases: readonly Omit<ConformanceCase, 'area'>[]): ConformanceCase[] {
  return cases.map((one) => ({ ...one, area }));
}
