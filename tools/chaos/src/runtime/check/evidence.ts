import { compareIds } from '../../redis/compare-ids.ts';
import type { History } from '../history/history.ts';
import type { LogEntry } from '../redis/stored.ts';
import { timeOfId } from './time-of-id.ts';

interface Event {
  readonly at: number;
  readonly text: string;
}

const MAX_EVENTS = 60;
/** Milliseconds around a record that are told with it. */
const AROUND = 2_500;

/** What happened to a partition and around it in a time, in order. Times are seconds since the first process began. */
export function partitionEvidence(
  history: History,
  partition: number,
  from: number,
  until: number,
): string[] {
  const within = ({ at }: Event): boolean => at >= from && at <= until;
  const faults = history.disturbances.flatMap((each) => {
    const what = [each.kind, each.incarnation ?? each.worker, each.point].filter(Boolean).join(' ');
    return [
      { at: each.from, text: `fault: ${what}` },
      { at: each.until, text: `over: ${what}` },
    ];
  });
  const tenures = history.tenures
    .filter((each) => each.partition === partition)
    .flatMap(({ incarnation, epoch, seq, offset, from: acquired, until: ended }) => [
      {
        at: acquired,
        text: `${incarnation} acquires partition ${partition}, epoch ${epoch}, behind commit ${seq} at ${offset}`,
      },
      ...(ended === undefined ? [] : [{ at: ended, text: `${incarnation}: epoch ${epoch} of it ends` }]),
    ]);
  const commits = history.commits
    .filter((each) => each.partition === partition)
    .map(({ incarnation, at, seq, offset, reply }) => ({
      at,
      text: `${incarnation} commits ${seq} up to ${offset}: ${reply}`,
    }));
  return told(history, [...faults, ...tenures, ...commits].filter(within));
}

/** What happened around the time in which a record was sent and processed first. */
export function recordEvidence(history: History, record: LogEntry | undefined): string[] {
  if (record === undefined) return [];
  const { partition, id } = record;
  const done = history.commits.find(
    (each) => each.partition === partition && each.reply === 'OK' && compareIds(each.offset, id) >= 0,
  );
  const at = done?.at ?? timeOfId(id, history);
  return [
    `record ${record.n} of ${record.key}: partition ${partition}, id ${id}, event time ${record.time}`,
    ...partitionEvidence(history, partition, at - AROUND, at + AROUND),
  ];
}

function told(history: History, events: readonly Event[]): string[] {
  const beginning = Math.min(...history.incarnations.map(({ from }) => from));
  const lines = [...events]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${((at - beginning) / 1_000).toFixed(3)} s  ${text}`);
  if (lines.length <= MAX_EVENTS) return lines;
  const half = MAX_EVENTS / 2;
  return [...lines.slice(0, half), `… ${lines.length - MAX_EVENTS} more …`, ...lines.slice(-half)];
}
