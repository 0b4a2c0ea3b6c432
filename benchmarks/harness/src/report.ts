import type { Measured } from './measure.ts';
import type { Case, Unit } from './suite.ts';

/** What `--json` prints of a case. */
export interface CaseReport {
  readonly name: string;
  readonly unit: Unit;
  readonly ours: number;
  readonly limit: number;
  readonly peers: Readonly<Record<string, number>>;
  /** Ours / limit. */
  readonly ratioToLimit: number;
  /** Ours / the peer that does best; `null` without peers. */
  readonly ratioToBestPeer: number | null;
  /**
   * Spread, records and further figures. Those of ours have their plain names, but `oursMin` and `oursMax`; others begin with
   * `limit` or the name of the variant.
   */
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

/** Digits behind the point. */
const DIGITS: Readonly<Record<Unit, number>> = { 'records/s': 0, ms: 3, 'bytes/record': 1 };
const RATIO_DIGITS = 3;

/**
 * @param own figures of the case as a whole
 * @throws Error unless exactly one variant is ours and one the limit
 */
export function caseReport(
  { name, unit, figures }: Pick<Case, 'name' | 'unit' | 'figures'>,
  measured: readonly Measured[],
  own: Readonly<Record<string, number>> = {},
): CaseReport {
  const ours = only('ours', measured, name);
  const limit = only('limit', measured, name);
  const peers = measured.filter(({ role }) => role === 'peer');
  const extra: Record<string, number> = {};
  for (const each of [ours, limit, ...measured.filter((other) => other !== ours && other !== limit)]) {
    const prefix = prefixOf(each);
    const plain = each === ours ? '' : prefix;
    extra[joined(plain, 'records')] = each.records;
    if (each.role === 'aside') extra[prefix] = round(each.median, DIGITS[unit]);
    extra[`${prefix}Min`] = round(each.min, DIGITS[unit]);
    extra[`${prefix}Max`] = round(each.max, DIGITS[unit]);
    for (const [key, value] of Object.entries(each.figures)) {
      extra[joined(plain, key)] = round(value, figures[key]?.digits ?? 0);
    }
  }
  for (const [key, value] of Object.entries(own)) extra[key] = round(value, figures[key]?.digits ?? 0);
  return {
    name,
    unit,
    ours: round(ours.median, DIGITS[unit]),
    limit: round(limit.median, DIGITS[unit]),
    peers: Object.fromEntries(peers.map((peer) => [peer.name, round(peer.median, DIGITS[unit])])),
    ratioToLimit: round(ours.median / limit.median, RATIO_DIGITS),
    ratioToBestPeer: peers.length === 0 ? null : round(ours.median / best(unit, peers), RATIO_DIGITS),
    extra,
  };
}

/** Of whom the figures in `extra` are: the name of the variant in camel case. */
export function prefixOf({ name, role }: Pick<Measured, 'name' | 'role'>): string {
  if (role === 'ours' || role === 'limit') return role;
  const [first = '', ...rest] = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return first + rest.map(capitalized).join('');
}

function only(role: 'ours' | 'limit', measured: readonly Measured[], name: string): Measured {
  const [one, another] = measured.filter((each) => each.role === role);
  if (one !== undefined && another === undefined) return one;
  throw new Error(`'${name}' must have exactly one variant with the role '${role}'`);
}

function best(unit: Unit, peers: readonly Measured[]): number {
  const values = peers.map((peer) => peer.median);
  return unit === 'records/s' ? Math.max(...values) : Math.min(...values);
}

function joined(prefix: string, key: string): string {
  return prefix === '' ? key : prefix + capitalized(key);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
