import type { Measured } from './measure.ts';

export interface CaseReport {
  readonly name: string;
  readonly unit: 'records/s';
  readonly ours: number;
  /** The hand-written loop. */
  readonly limit: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly ratioToLimit: number;
  /** `null` while there are no peers. */
  readonly ratioToBestPeer: number | null;
  readonly extra: Readonly<Record<string, number>>;
}

export interface SuiteReport {
  readonly suite: string;
  readonly node: string;
  /** Version of the server; `null` for a suite that needs none. */
  readonly redis: string | null;
  readonly rounds: number;
  readonly cases: readonly CaseReport[];
}

export interface Setting {
  readonly name: string;
  readonly records: number;
  /** Highest resident memory of the process, all variants and rounds together. */
  readonly rssMb: number;
}

export function caseReport(limit: Measured, ours: Measured, { name, records, rssMb }: Setting): CaseReport {
  return {
    name,
    unit: 'records/s',
    ours: Math.round(ours.median),
    limit: Math.round(limit.median),
    peers: {},
    ratioToLimit: round(ours.median / limit.median, 3),
    ratioToBestPeer: null,
    extra: {
      records,
      oursMin: Math.round(ours.min),
      oursMax: Math.round(ours.max),
      limitMin: Math.round(limit.min),
      limitMax: Math.round(limit.max),
      peakHeapMb: round(ours.peakHeapMb, 1),
      limitPeakHeapMb: round(limit.peakHeapMb, 1),
      rssMb: round(rssMb, 1),
    },
  };
}

/** For people. */
export function textReport({ suite, node, rounds, cases }: SuiteReport): string {
  const lines = [`${suite}, Node.js ${node}, median of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`];
  for (const { name, ours, limit, ratioToLimit, extra } of cases) {
    lines.push(
      '',
      `${name}, ${count(extra['records'])} records`,
      row('@rs', ours, extra['oursMin'], extra['oursMax'], extra['peakHeapMb']),
      row('loop', limit, extra['limitMin'], extra['limitMax'], extra['limitPeakHeapMb']),
      `  ${(ratioToLimit * 100).toFixed(1)} % of the loop; the process took ${extra['rssMb'] ?? 0} MB at most`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function row(name: string, median: number, min = 0, max = 0, peakHeapMb = 0): string {
  const rate = `${count(median)} records/s`.padStart(22);
  return `  ${name.padEnd(6)}${rate}  (${count(min)} to ${count(max)}), peak heap ${peakHeapMb.toFixed(1)} MB`;
}

function count(value = 0): string {
  return value.toLocaleString('en-US');
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
