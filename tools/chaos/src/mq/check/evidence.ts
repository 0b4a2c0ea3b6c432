import type { Position } from '../history/entry.ts';
import type { History } from '../history/history.ts';

interface Event {
  readonly at: number;
  readonly text: string;
}

/** Milliseconds around what is to be shown in which others' events are told too. */
const AROUND = 5_000;
const MAX_EVENTS = 40;

/** All that happened to one message, and around it, in order. Times are seconds since the first process began. */
export function messageEvidence(history: History, { partition, id }: Position): string[] {
  const own = history.handlings.filter((each) => each.partition === partition && each.id === id);
  const events: Event[] = own.flatMap(({ incarnation, epoch, attempt, start, end, result, aborted }) => [
    { at: start, text: `${incarnation} starts ${id}, attempt ${attempt}, epoch ${epoch}` },
    ...(end === undefined
      ? []
      : [
          {
            at: end,
            text: `${incarnation} ends ${id}: ${result ?? ''}${aborted ? ', told to give up' : ''}`,
          },
        ]),
  ]);
  const times = events.map(({ at }) => at);
  const [from, until] = times.length === 0 ? [-Infinity, Infinity] : [Math.min(...times), Math.max(...times)];
  return told(history, [...events, ...surroundings(history, partition, from - AROUND, until + AROUND)]);
}

/** What happened to a partition and its surroundings in a time. */
export function partitionEvidence(
  history: History,
  partition: number,
  from: number,
  until: number,
): string[] {
  return told(history, surroundings(history, partition, from, until));
}

function surroundings(history: History, partition: number, from: number, until: number): Event[] {
  const within = ({ at }: Event): boolean => at >= from && at <= until;
  const faults = history.disturbances
    .filter((each) => each.partition === undefined || each.partition === partition)
    .flatMap((each) => {
      const what = [each.kind, each.incarnation ?? each.worker].filter(Boolean).join(' ');
      return [
        { at: each.from, text: `fault: ${what}` },
        { at: each.until, text: `over: ${what}` },
      ];
    });
  const tenures = history.tenures
    .filter((each) => each.partition === partition)
    .flatMap(({ incarnation, epoch, from: acquired, until: ended, how }) => [
      { at: acquired, text: `${incarnation} acquires partition ${partition}, epoch ${epoch}` },
      ...(ended === undefined
        ? []
        : [{ at: ended, text: `${incarnation}: partition ${partition}, epoch ${epoch}, ${how ?? ''}` }]),
    ]);
  return [...faults, ...tenures].filter(within);
}

function told(history: History, events: readonly Event[]): string[] {
  const beginning = Math.min(...history.incarnations.map(({ from }) => from));
  const lines = [...events]
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => `${((at - beginning) / 1_000).toFixed(3)} s  ${text}`);
  if (lines.length <= MAX_EVENTS) return lines;
  return [...lines.slice(0, MAX_EVENTS), `… and ${lines.length - MAX_EVENTS} more`];
}
