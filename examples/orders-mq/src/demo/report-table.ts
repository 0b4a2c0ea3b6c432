import Table from 'cli-table3';
import type { Colors } from 'picocolors/types';
import { formatCount, formatCountOf, formatDollars, formatSeconds } from './format.ts';
import type { Results } from './results.ts';
import { story } from './story.ts';

// No colours of its own: they would ignore NO_COLOR.
const STYLE = { head: [], border: [], compact: true };
/** Both texts of a cause fit into 110 columns. */
const TEXT_WIDTH = 40;

/** What happened, for people. */
export function tableReport(results: Results, colors: Colors): string {
  const { sent, dead, seconds, handled, deadLetters, turnover, causes } = results;
  const title = `${formatCountOf(sent, 'order')} through a topic of ${formatCountOf(dead.length, 'partition')} in ${formatSeconds(seconds)}`;
  return [
    colors.bold(title),
    `${formatCount(sent)} sent = ${formatCount(handled)} handled + ${formatCountOf(deadLetters, 'dead letter')}; ` +
      `${formatDollars(turnover)} charged`,
    '',
    ...story(results),
    '',
    'Handled by partition and worker, repetitions included:',
    sharesTable(results, colors),
    ...(causes.length === 0 ? [] : ['', 'Dead letters by cause:', causesTable(results, colors)]),
    '',
  ].join('\n');
}

function sharesTable({ shares, dead, kill }: Results, colors: Colors): string {
  const workers = [...new Set(shares.map(({ worker }) => worker))].sort();
  const titles = workers.map((worker) => (worker === kill?.worker ? `${worker} (killed)` : worker));
  const table = new Table({
    head: ['partition', ...titles, 'dead letters'].map(colors.bold),
    colAligns: ['left', ...workers.map(() => 'right' as const), 'right'],
    style: STYLE,
  });
  const add = (title: string, letters: number, included: (partition: number) => boolean): void => {
    const cells = workers.map((worker) => {
      const own = shares.filter((share) => share.worker === worker && included(share.partition));
      return formatCount(own.reduce((sum, { entries }) => sum + entries, 0));
    });
    table.push([title, ...cells, formatCount(letters)]);
  };
  dead.forEach((letters, partition) => add(String(partition), letters, (each) => each === partition));
  const total = dead.reduce((sum, letters) => sum + letters, 0);
  add('all', total, () => true);
  return table.toString();
}

function causesTable({ causes }: Results, colors: Colors): string {
  const table = new Table({
    head: ['reason', 'such as', 'signature', 'count'].map(colors.bold),
    colAligns: ['left', 'left', 'left', 'right'],
    colWidths: [null, TEXT_WIDTH, TEXT_WIDTH, null],
    wordWrap: true,
    style: STYLE,
  });
  for (const { reason, example, signature, count } of causes) {
    table.push([reason, example, signature, formatCount(count)]);
  }
  return table.toString();
}
