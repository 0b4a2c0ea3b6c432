import { formatCount, formatCountOf, formatList, formatPartitions, formatSeconds } from './format.ts';
import type { Results } from './results.ts';

/** What went wrong on the way, and what became of it: one line each. */
export function story({ kill, takeover, duplicates, lostLeases, retries }: Results): string[] {
  const lines: string[] = [];
  if (kill !== undefined) {
    const went =
      takeover === undefined
        ? 'Nothing was left to do there.'
        : `${formatList(takeover.heirs)} went on there within ${formatSeconds(takeover.after / 1_000)}.`;
    lines.push(
      `${kill.worker} was killed when ${formatCount(kill.handled)} were done. ` +
        `It had ${formatPartitions(kill.partitions)}. ${went}`,
    );
  }
  lines.push(duplicatesText(duplicates, lostLeases));
  if (lostLeases > 0) {
    const ran = lostLeases === 1 ? 'lease' : 'leases';
    lines.push(
      `${formatCount(lostLeases)} ${ran} ran out though the worker lived: this machine was too busy.`,
    );
  }
  lines.push(`${formatCountOf(retries, 'attempt')} failed and ${retries === 1 ? 'was' : 'were'} made again.`);
  return lines;
}

function duplicatesText(duplicates: number, lostLeases: number): string {
  if (duplicates === 0) return 'No order was handled twice.';
  const when = lostLeases === 0 ? 'was killed' : 'was killed or lost its lease';
  return (
    `${formatCountOf(duplicates, 'order')} ${duplicates === 1 ? 'was' : 'were'} handled again, being under way when its worker ${when}: ` +
    'in the books, but not settled yet. The books charge an order once.'
  );
}
