import type { Message } from '@rs/core';
import { type Match, type PatternLike, PatternMatcher } from '@rs/cep';
import type { Event } from '../input.ts';
import type { Outcome } from '../outcome.ts';

export interface MatchesModel {
  readonly outOfOrderness: number;
  readonly shown: (match: Match<Event, object>, key: string) => string;
}

/**
 * What a matcher of its own finds in the events of each key, which are given to it at the end, in the order of their times: matches
 * in the sink `out`, what has timed out in `timed-out`. Events that are not behind the watermark of their partition, the largest time so far
 * − `outOfOrderness` − 1, are late for the operator `pattern`.
 */
export function matchesBy(
  pattern: PatternLike<Event, object>,
  { outOfOrderness, shown }: MatchesModel,
): (input: readonly Message<unknown>[]) => Outcome {
  return (input) => {
    const found: Emission[] = [];
    const timedOut: Emission[] = [];
    let late = 0;
    for (const partition of new Set(input.map((message) => message.partition))) {
      let largest = -Infinity;
      const byKey = new Map<string, Event[]>();
      for (const { key = '', value, timestamp } of input.filter((one) => one.partition === partition)) {
        largest = Math.max(largest, timestamp);
        if (timestamp <= largest - outOfOrderness - 1) late++;
        else byKey.set(key, [...(byKey.get(key) ?? []), value as Event]);
      }
      for (const [key, events] of byKey) {
        let time = -Infinity;
        const add = (list: Emission[], match: Match<Event, object>): void =>
          void list.push({ text: shown(match, key), key, time: Math.max(time, match.timestamp) });
        const matcher = new PatternMatcher(pattern, { onTimeout: (partial) => add(timedOut, partial) });
        for (const event of events.toSorted((a, b) => a.at - b.at)) {
          for (const match of matcher.advanceTime(event.at - 1)) add(found, match);
          time = event.at;
          for (const match of matcher.process(event, event.at)) add(found, match);
        }
        for (const match of matcher.flush()) add(found, match);
      }
    }
    return {
      sinks: { out: inOrder(found), 'timed-out': inOrder(timedOut) },
      late: late === 0 ? {} : { pattern: late },
    };
  };
}

interface Emission {
  readonly text: string;
  readonly key: string;
  /** When it is emitted. */
  readonly time: number;
}

/** Of one time, by key. */
function inOrder(emissions: readonly Emission[]): string[] {
  return emissions
    .toSorted((a, b) => a.time - b.time || (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
    .map(({ text }) => text);
}
