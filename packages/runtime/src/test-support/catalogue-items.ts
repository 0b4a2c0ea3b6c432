import fc from 'fast-check';
import type { HarnessItem, HarnessResult } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

/** Events out of order by more than the watermark allows, so that some are late; keys that JSON objects trip over. */
export const events = fc.array(
  fc.record({
    source: fc.constantFrom(0, 1),
    key: fc.constantFrom('a', 'b', '__proto__'),
    step: fc.integer({ min: -9, max: 12 }),
    amount: fc.integer({ min: 0, max: 10 }),
  }),
  { maxLength: 60 },
);

export interface DrawnEvent extends Omit<Event, 'time'> {
  readonly source: number;
  readonly step: number;
}

export function itemsOf(drawn: readonly DrawnEvent[], sources: number): HarnessItem[] {
  let time = -20;
  const items: HarnessItem[] = drawn.map(({ source, key, step, amount }) => {
    time += step;
    return {
      type: 'record',
      input: source % sources,
      value: { key, time, amount } satisfies Event,
      timestamp: time,
    };
  });
  return [...items, ...Array.from({ length: sources }, (_, input): HarnessItem => ({ type: 'end', input }))];
}

/** Records of two sources, with what these say about time themselves. */
export const timedItems: fc.Arbitrary<readonly HarnessItem[]> = fc
  .array(
    fc.record({
      input: fc.constantFrom(0, 1),
      key: fc.constantFrom('a', 'b', 'c'),
      step: fc.integer({ min: -3, max: 9 }),
      type: fc.constantFrom('record', 'record', 'record', 'watermark', 'idle', 'active'),
    }),
    { maxLength: 40 },
  )
  .map((drawn) => {
    const watermarks = [-Infinity, -Infinity];
    let time = -20;
    const items = drawn.map(({ input, key, step, type }): HarnessItem => {
      time += step;
      if (type === 'record')
        return { type, input, value: { key, time, amount: step } satisfies Event, timestamp: time };
      if (type !== 'watermark') return { type: 'status', input, idle: type === 'idle' };
      const timestamp = Math.max(watermarks[input] ?? -Infinity, time);
      watermarks[input] = timestamp;
      return { type, input, timestamp };
    });
    return [...items, { type: 'end', input: 0 }, { type: 'end', input: 1 }];
  });

/** Outputs by sink: how the outputs of different sinks interleave is no part of a result. */
export function bySink({ outputs, late }: HarnessResult) {
  const sinks: Record<string, unknown[]> = {};
  for (const { sink, value, timestamp } of outputs) (sinks[sink] ??= []).push([value, timestamp]);
  return { sinks, late };
}
