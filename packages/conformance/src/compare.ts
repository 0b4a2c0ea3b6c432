import type { Outcome } from './outcome.ts';
import { valueText } from './value-text.ts';

/** What is fixed about the order of a sink's values. */
export type Ordering =
  | { readonly type: 'all' }
  /** Only that of values with equal texts. */
  | { readonly type: 'by key'; readonly keyOf: (value: unknown) => string }
  | { readonly type: 'none' };

/** Says in lines how an outcome differs from the expected one; no lines when it does not. */
export function compare(expected: Outcome, actual: Outcome, ordering: Ordering): string[] {
  const sinks = new Set([...Object.keys(expected.sinks), ...Object.keys(actual.sinks)]);
  return [
    ...[...sinks].flatMap((sink) =>
      compareSink(sink, expected.sinks[sink] ?? [], actual.sinks[sink] ?? [], ordering),
    ),
    ...compareLate(expected.late, actual.late),
  ];
}

function compareSink(
  sink: string,
  expected: readonly unknown[],
  actual: readonly unknown[],
  ordering: Ordering,
): string[] {
  switch (ordering.type) {
    case 'all':
      return sequenceDiff(`sink '${sink}'`, expected.map(valueText), actual.map(valueText));
    case 'none':
      return bagDiff(`sink '${sink}', in any order`, expected.map(valueText), actual.map(valueText));
    case 'by key': {
      const [before, after] = [groupBy(expected, ordering.keyOf), groupBy(actual, ordering.keyOf)];
      return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
        sequenceDiff(`sink '${sink}', key '${key}'`, before.get(key) ?? [], after.get(key) ?? []),
      );
    }
  }
}

function groupBy(values: readonly unknown[], keyOf: (value: unknown) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), valueText(value)]);
  }
  return groups;
}

function compareLate(expected: Outcome['late'], actual: Outcome['late']): string[] {
  const text = (late: Outcome['late']) =>
    valueText(Object.fromEntries(Object.entries(late).filter(([, n]) => n > 0)));
  return sequenceDiff('late records by operator', [text(expected)], [text(actual)]);
}

/** Everything between the first and the last difference. */
function sequenceDiff(title: string, expected: readonly string[], actual: readonly string[]): string[] {
  const shortest = Math.min(expected.length, actual.length);
  let start = 0;
  while (start < shortest && expected[start] === actual[start]) start++;
  let end = 0;
  while (end < shortest - start && expected.at(-1 - end) === actual.at(-1 - end)) end++;
  const missing = expected.slice(start, expected.length - end);
  const extra = actual.slice(start, actual.length - end);
  if (missing.length === 0 && extra.length === 0) return [];
  return [
    `${title}:`,
    ...asExpected(start),
    ...changed('-', missing),
    ...changed('+', extra),
    ...asExpected(end),
  ];
}

function bagDiff(title: string, expected: readonly string[], actual: readonly string[]): string[] {
  const missing = without(expected, actual);
  const extra = without(actual, expected);
  if (missing.length === 0 && extra.length === 0) return [];
  const common = expected.length - missing.length;
  return [`${title}:`, ...asExpected(common), ...changed('-', missing), ...changed('+', extra)];
}

/** The values of `all` that are not among `others`, each as often as it is missing. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1);
  return all.filter((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

const SHOWN = 20;

function changed(sign: '-' | '+', texts: readonly string[]): string[] {
  const more = texts.length - SHOWN;
  return [
    ...texts.slice(0, SHOWN).map((text) => `  ${sign} ${text}`),
    ...(more > 0 ? [`  ${sign} … and ${more} more`] : []),
  ];
}

function asExpected(count: number): string[] {
  return count === 0 ? [] : [`    … ${count} as expected`];
}
