import Table from 'cli-table3';
import type { Colors } from 'picocolors/types';
import type { SuiteReport, VariantReport, Verdict } from './suite.ts';
import { titleOf } from './variant.ts';

const NAME_WIDTH = 60;

/** Cases by drivers, for people; then what is different, and the outcome in one line. */
export function tableReport(report: SuiteReport, colors: Colors): string {
  const { drivers, variants } = report;
  const signs: Record<Verdict, string> = {
    equal: colors.green('✓'),
    different: colors.red('✗'),
    unsupported: '–',
  };
  const table = new Table({
    // The words of a driver's name stand one above the other.
    head: ['case', 'partitions', ...drivers.map((name) => name.replaceAll(' ', '\n'))].map(colors.bold),
    colAligns: ['left', 'right', ...drivers.map(() => 'center' as const)],
    colWidths: [NAME_WIDTH],
    wordWrap: true,
    // No colours of its own: they would ignore NO_COLOR.
    style: { head: [], border: [], compact: true },
  });
  for (const { variant, results } of variants) {
    const { area, name, partitions } = variant;
    table.push([
      `${area}: ${name}`,
      partitions,
      ...drivers.map((driver) => signs[results[driver]?.verdict ?? 'unsupported']),
    ]);
  }
  const differences = variants.flatMap((one) => differencesOf(one, colors));
  return [table.toString(), ...differences, '', summary(report, colors), ''].join('\n');
}

/** Drivers with the same difference are named together. */
function differencesOf({ variant, results }: VariantReport, colors: Colors): string[] {
  const groups = new Map<string, string[]>();
  for (const [driver, { verdict, differences }] of Object.entries(results)) {
    if (verdict !== 'different') continue;
    const text = differences.join('\n');
    groups.set(text, [...(groups.get(text) ?? []), driver]);
  }
  return [...groups].flatMap(([text, drivers]) => [
    '',
    colors.bold(`${titleOf(variant)} on ${drivers.join(', ')}`),
    ...text.split('\n').map((line) => colored(line, colors)),
  ]);
}

function colored(line: string, colors: Colors): string {
  if (line.startsWith('  - ')) return colors.green(line);
  return line.startsWith('  + ') ? colors.red(line) : line;
}

function summary({ drivers, variants, equal }: SuiteReport, colors: Colors): string {
  const size = `${countOf(variants.length, 'case')} × ${countOf(drivers.length, 'driver')}`;
  if (equal) return `${size}: ${colors.green('all equal')}`;
  const different = variants
    .flatMap(({ results }) => Object.values(results))
    .filter(({ verdict }) => verdict === 'different');
  return `${size}: ${colors.red(`${different.length} different`)}`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
