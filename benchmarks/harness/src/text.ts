import type { Measured } from './measure.ts';
import type { SuiteReport } from './report.ts';
import type { Case, Figure, Unit } from './suite.ts';

/** One case for people: a row for each variant, with the ratios below. */
export function caseText(
  { name, unit, figures }: Pick<Case, 'name' | 'unit' | 'figures'>,
  measured: readonly Measured[],
  own: Readonly<Record<string, number>> = {},
): string {
  const ours = measured.find(({ role }) => role === 'ours');
  if (ours === undefined) return '';
  const limit = measured.filter(({ role }) => role === 'limit');
  const rest = measured.filter((each) => each !== ours && each.role !== 'limit');
  const width = Math.max(...measured.map((each) => each.name.length)) + 2;
  const lines = [ours, ...limit, ...rest].map((each) => {
    const value = `${number(each.median, unit)} ${unit}`.padStart(12 + unit.length);
    const spread = `(${number(each.min, unit)} to ${number(each.max, unit)})`;
    return `  ${each.name.padEnd(width)}${value}  ${[spread, ...texts(each.figures, figures)].join(', ')}`;
  });
  const ratios = [
    ...limit.map((each) => `${((ours.median / each.median) * 100).toFixed(1)} % of the ${each.name}`),
    ...rest
      .filter(({ role }) => role === 'peer')
      .map((each) => `${(ours.median / each.median).toFixed(2)} × ${each.name}`),
    ...texts(own, figures),
  ];
  return [`${name}, ${number(ours.records, 'records/s')} records`, ...lines, `  ${ratios.join('; ')}`].join(
    '\n',
  );
}

/** What stands above the cases. */
export function heading({ suite, node, redis, rounds }: Omit<SuiteReport, 'cases'>): string {
  const server = redis === null ? '' : `, Redis ${redis}`;
  return `${suite}, Node.js ${node}${server}, median of ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
}

function texts(
  values: Readonly<Record<string, number>>,
  figures: Readonly<Record<string, Figure>>,
): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const figure = figures[key];
    return figure === undefined ? [] : [figure.text(value.toFixed(figure.digits))];
  });
}

function number(value: number, unit: Unit): string {
  if (unit === 'ms') return value.toFixed(2);
  return Math.round(value).toLocaleString('en-US');
}
