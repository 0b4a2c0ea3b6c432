import type { OperatorMeta } from '@rs/runtime';

/** Watermarks by id of the operators that have one. */
export function watermarksOf(
  facts: Readonly<Record<string, OperatorMeta>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([operator, { watermark }]) =>
      watermark === undefined ? [] : [[operator, Number(watermark)] as const],
    ),
  );
}

/** The smallest of some watermarks; −∞ when there are none. */
export function smallest(watermarks: Readonly<Record<string, number>>): number {
  const all = Object.values(watermarks);
  return all.length === 0 ? -Infinity : Math.min(...all);
}
