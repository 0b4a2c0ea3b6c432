import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Event, JOBS } from '../test-support/job-catalogue.ts';
import { runResumed } from '../test-support/resumed-run.ts';
import { TWO_INPUT_JOBS } from '../test-support/two-input-jobs.ts';
import { graphOf, type HarnessItem, type HarnessResult, runChained } from '../testing/index.ts';

/** Events out of order by more than the watermark allows, so that some are late; keys that JSON objects trip over. */
const events = fc.array(
  fc.record({
    source: fc.constantFrom(0, 1),
    partition: fc.nat(2),
    key: fc.constantFrom('a', 'b', '__proto__', '日本'),
    step: fc.integer({ min: -9, max: 12 }),
    amount: fc.integer({ min: 0, max: 10 }),
  }),
  { maxLength: 60 },
);

type Drawn = typeof events extends fc.Arbitrary<infer T> ? T : never;

/** Before which items the process ends. */
const cuts = fc.uniqueArray(fc.nat(62), { maxLength: 6 }).map((at) => new Set(at));

function itemsOf(drawn: Drawn, sources: number, partitions: number): HarnessItem[] {
  let time = -20;
  const items = drawn.map(({ source, partition, key, step, amount }): HarnessItem => {
    time += step;
    const value: Event = { key, time, amount };
    return {
      type: 'record',
      input: source % sources,
      partition: partition % partitions,
      value,
      timestamp: time,
    };
  });
  const ends = Array.from({ length: sources }, (_, input) =>
    Array.from({ length: partitions }, (_unused, partition): HarnessItem => ({
      type: 'end',
      input,
      partition,
    })),
  );
  return [...items, ...ends.flat()];
}

/** Outputs by sink: how the outputs of different sinks interleave is no part of a result. */
function bySink({ outputs, late }: HarnessResult, sorted: boolean) {
  const sinks: Record<string, unknown[]> = {};
  for (const { sink, value, timestamp } of outputs) (sinks[sink] ??= []).push([value, timestamp]);
  if (sorted) for (const results of Object.values(sinks)) results.sort(byText);
  return { sinks, late };
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

describe.each(Object.entries({ ...JOBS, ...TWO_INPUT_JOBS }))('%s', (name, job) => {
  const sources = graphOf(job).sources.length;
  const anyOrder = name.includes('out of order');
  // A cut waits for calls that are under way, so others come first than would have: their order is open across partitions.
  const counts = name.startsWith('mapAsync') ? [1] : [1, 3];

  test.each(counts)('on %d partitions: going on from a snapshot changes nothing', async (partitions) => {
    const partitionsOf = () => partitions;
    await fc.assert(
      fc.asyncProperty(events, cuts, async (drawn, at) => {
        const items = itemsOf(drawn, sources, partitions);
        const expected = bySink(await runChained(graphOf(job), items, partitionsOf), anyOrder);
        const resumed = await runResumed(() => graphOf(job), items, { partitionsOf, cuts: at });
        expect(bySink(resumed, anyOrder)).toEqual(expected);
      }),
      { numRuns: 25, seed: 20261201 },
    );
  });
});
