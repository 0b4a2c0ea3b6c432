import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MapAsyncRun } from '../../test-support/map-async-run.ts';

/** A record whose call takes some turns, is retried some times, or gives its value at once; or a watermark or status. */
type Step =
  | { readonly type: 'record'; readonly turns: number; readonly failures: number }
  | { readonly type: 'watermark' | 'status' };

interface Scenario {
  readonly steps: readonly Step[];
  readonly concurrency: number;
  /** A driver waits where records must; fan-out does not. */
  readonly waits: boolean;
}

const record = fc.record({ type: fc.constant('record' as const), turns: fc.nat(6), failures: fc.nat(2) });
const control = fc.record({ type: fc.constantFrom('watermark' as const, 'status' as const) });
const scenarios: fc.Arbitrary<Scenario> = fc.record({
  steps: fc.array(fc.oneof({ weight: 4, arbitrary: record }, { weight: 1, arbitrary: control }), {
    maxLength: 40,
  }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  waits: fc.boolean(),
});

interface Outcome {
  readonly trace: readonly string[];
  /** What a `map` would have sent. */
  readonly mapped: readonly string[];
  readonly most: number;
}

async function outcomeOf(ordered: boolean, scenario: Scenario): Promise<Outcome> {
  let running = 0;
  let most = 0;
  const run = new MapAsyncRun({
    ordered,
    concurrency: scenario.concurrency,
    retry: { attempts: 3, delay: 0, maxDelay: 0, retryIf: () => true },
    fn: (value, { attempt }) => {
      const step = scenario.steps[Number(value)];
      if (step?.type !== 'record' || (step.turns === 0 && step.failures === 0)) return value;
      most = Math.max(most, ++running);
      return (async () => {
        for (let i = 0; i < step.turns; i++) await Promise.resolve();
        running--;
        if (attempt <= step.failures) throw new Error('again');
        return value;
      })();
    },
  });
  const mapped: string[] = [];
  for (const [index, { type }] of scenario.steps.entries()) {
    if (type === 'record') {
      run.feed([String(index), index]);
      mapped.push(`${index}@${index}`);
    } else if (type === 'watermark') {
      run.operator.watermark(index);
      mapped.push(`w${index}`);
    } else {
      run.operator.status(true);
      mapped.push('idle');
    }
    while (scenario.waits && run.task.pending) await run.scheduler.advance(0);
  }
  run.operator.end();
  mapped.push('end');
  for (let i = 0; i < 10 && run.out.trace.at(-1) !== 'end'; i++) await run.scheduler.advance(0);
  run.task.throwFailure();
  expect(run.task.pending).toBe(false);
  await run.task.drained();
  return { trace: run.out.trace, mapped, most };
}

/** The same trace for all that differ only in the order of records between two other items. */
function bySegment(trace: readonly string[]): string[] {
  const segments: string[][] = [[]];
  for (const item of trace) {
    segments.at(-1)?.push(item);
    if (!item.includes('@')) segments.push([]);
  }
  return segments.flatMap((segment) => segment.toSorted());
}

describe('whatever the calls take, and however often they fail', () => {
  test('ordered results are those of map, among the same watermarks', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { trace, mapped, most } = await outcomeOf(true, scenario);
        expect(trace).toEqual(mapped);
        expect(most).toBeLessThanOrEqual(scenario.concurrency);
      }),
      { numRuns: 300, seed: 20261202 },
    );
  });

  test('unordered results are those of map between each two watermarks', async () => {
    let reordered = 0;
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { trace, mapped, most } = await outcomeOf(false, scenario);
        expect(bySegment(trace)).toEqual(bySegment(mapped));
        expect(most).toBeLessThanOrEqual(scenario.concurrency);
        if (trace.join() !== mapped.join()) reordered++;
      }),
      { numRuns: 300, seed: 20261203 },
    );
    expect(reordered).toBeGreaterThan(50);
  });
});
