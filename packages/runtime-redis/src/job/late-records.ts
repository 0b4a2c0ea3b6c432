export interface LateRecords {
  /** Records that were late: for all of their windows, or by the word of a function (`ctx.reportLate`). */
  readonly lateRecords: number;
  /** The same by operator id. */
  readonly lateRecordsByOperator: Readonly<Record<string, number>>;
}

/** Adds up what tasks have counted, each by operator. */
export function lateRecords(counts: readonly Readonly<Record<string, number>>[]): LateRecords {
  const byOperator = new Map<string, number>();
  for (const each of counts) {
    for (const [operator, count] of Object.entries(each)) {
      byOperator.set(operator, (byOperator.get(operator) ?? 0) + count);
    }
  }
  return {
    lateRecords: [...byOperator.values()].reduce((sum, count) => sum + count, 0),
    lateRecordsByOperator: Object.fromEntries(byOperator),
  };
}
