import type { createColors } from 'picocolors';
import { shownMillis, tellBroken } from '../../report/broken.ts';
import { PROMISES } from '../check/violation.ts';
import { LOAD } from '../load/settings.ts';
import type { Report } from './report.ts';

/** The report for people. */
export function textReport(report: Report, colors: ReturnType<typeof createColors>): string {
  const { records, results, commits, deliveries, recovery, stop, violations, threw } = report;
  const { skipped, ...faults } = report.faults;
  const rows: [string, string][] = [
    [
      'records',
      `${records.confirmed} of ${records.sent} confirmed, ${records.written} written, ${records.counted} counted`,
    ],
    [
      'results',
      `windows ${results.windows}, late records ${results.late}, sessions ${results.sessions}, timers ${results.timers}, ` +
        `records with timers of processing time ${results.clocked}; ${results.sent} sent to topics`,
    ],
    ['faults', `${listed(faults)}${skipped > 0 ? `; ${skipped} hit nobody` : ''}`],
    ['died', listed(report.diedAt) || 'at no point of their work'],
    ['threw', listed(threw)],
    [
      'commits',
      `${commits.made}; without effect ${commits.fenced} of those who had lost their partition, ${commits.repeated} made again`,
    ],
    ['deliveries', `${deliveries.total} to a function, ${deliveries.repeats} of them repeats`],
    [
      'recovery',
      `p50 ${shownMillis(recovery.p50)}, max ${shownMillis(recovery.max)} of ${recovery.measured} partitions (limit ${recovery.limit} ms, ` +
        `lease ${LOAD.lease} ms); ${recovery.hindered} more hindered by other faults; ${recovery.allowance} ms allowed for lags`,
    ],
    ['stop', `${stop.count} times, max ${shownMillis(stop.max)} (budget ${LOAD.stopBudget} ms)`],
    ['backlog', report.drained === null ? 'not worked off' : `worked off in ${report.drained} ms`],
  ];
  const lines = [
    colors.bold(`chaos runtime, seed ${report.seed}, ${report.seconds} s of load with faults`),
    ...rows.map(([name, text]) => `  ${name.padEnd(11)} ${text}`),
    violations.length === 0
      ? colors.green('  violations  none')
      : colors.red(`  violations  ${violations.length}`),
    ...tellBroken(violations, PROMISES, colors),
    ...(report.journals === null ? [] : ['', `Journals and logs of all processes: ${report.journals}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function listed(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
