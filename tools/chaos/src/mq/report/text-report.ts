import type { createColors } from 'picocolors';
import { shownMillis, tellBroken } from '../../report/broken.ts';
import { CAST } from '../load/cast.ts';
import { REASONS } from '../check/check-duplicates.ts';
import { PROMISES } from '../check/violation.ts';
import { LOAD } from '../load/settings.ts';
import type { Report } from './report.ts';

/** The report for people. */
export function textReport(report: Report, colors: ReturnType<typeof createColors>): string {
  const { messages, faults, duplicates, recovery, close, violations } = report;
  const hit = CAST.kinds.flatMap((kind) => (faults[kind] === undefined ? [] : [`${kind} ${faults[kind]}`]));
  const reasons = REASONS.map((reason) => `${reason} ${duplicates[reason]}`);
  const unexplained = violations.filter(({ promise }) => promise === 'every duplicate is explained').length;
  const rows: [string, string][] = [
    ['messages', `${messages.confirmed} of ${messages.sent} confirmed, ${messages.written} written`],
    [
      'handled',
      `${messages.handled}, dead letters ${messages.deadLetters}; ${messages.handlings} calls of handlers`,
    ],
    ['faults', `${hit.join(', ')}${faults.skipped > 0 ? `; ${faults.skipped} hit nobody` : ''}`],
    ['duplicates', `${duplicates.total}: ${reasons.join(', ')}, without a reason ${unexplained}`],
    [
      'recovery',
      `p50 ${shownMillis(recovery.p50)}, max ${shownMillis(recovery.max)} of ${recovery.measured} partitions (limit ${recovery.limit} ms, ` +
        `lease ${LOAD.lease} ms); ${recovery.hindered} more hindered by other faults; ${recovery.allowance} ms allowed for lags`,
    ],
    ['close', `${close.count} times, max ${shownMillis(close.max)} (budget ${LOAD.closeBudget} ms)`],
    ['backlog', report.drained === null ? 'not worked off' : `worked off in ${report.drained} ms`],
  ];
  const lines = [
    colors.bold(`chaos mq, seed ${report.seed}, ${report.seconds} s of load with faults`),
    ...rows.map(([name, text]) => `  ${name.padEnd(11)} ${text}`),
    violations.length === 0
      ? colors.green('  violations  none')
      : colors.red(`  violations  ${violations.length}`),
    ...tellBroken(violations, PROMISES, colors),
    ...(report.journals === null ? [] : ['', `Journals and logs of all processes: ${report.journals}`]),
  ];
  return `${lines.join('\n')}\n`;
}
