import { describe, expect, test } from '@jest/globals';
import { aggregatingState, listState, reducingState, type Trigger, valueState } from '@rs/core';
import { SessionWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { onElement, scripted } from '../../test-support/scripted-trigger.ts';
import { type Item, WindowRun } from '../../test-support/window-run.ts';
import { graphOf, type HarnessItem, type HarnessJob, runBatched } from '../../testing/index.ts';

const MEMO = valueState<string>('memo');
const LIST = listState<number>('list');

describe('mergeState', () => {
  const joining: Partial<Trigger<Item>> = {
    states: [MEMO],
    onElement: (item, _timestamp, _window, ctx) => {
      if (item.n > 0) ctx.state(MEMO).update(`${ctx.state(MEMO).value() ?? ''}${item.n}`);
      return 'CONTINUE';
    },
    onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(MEMO, (a, b) => `(${a}+${b})`),
  };

  test('joins what the absorbed windows stored, in the order of their starts', () => {
    const seen: unknown[] = [];
    const { trigger } = scripted({
      ...joining,
      onMerge: (merged, absorbed, ctx) => {
        joining.onMerge?.(merged, absorbed, ctx);
        seen.push([merged, absorbed.map(({ start, end }) => [start, end]), ctx.state(MEMO).value()]);
      },
    });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    run.add('k', 2, 9).add('k', 0, 5).add('k', 1, 1).add('k', 3, 13);
    expect(seen).toEqual([
      [{ start: 5, end: 14 }, [[9, 14]], '2'],
      [{ start: 1, end: 14 }, [[5, 14]], '2'],
      [{ start: 1, end: 18 }, [[1, 14]], '21'],
    ]); // prettier-ignore
    const other = new WindowRun(SessionWindow.withGap(5), { trigger });
    seen.length = 0;
    other.add('k', 1, 1).add('k', 0, 17).add('k', 2, 9).add('k', 4, 5).add('k', 5, 13);
    expect(seen).toEqual([
      [{ start: 1, end: 14 }, [[1, 6], [9, 14]], '(1+2)'],
      [{ start: 1, end: 22 }, [[1, 14], [17, 22]], '(1+2)4'],
    ]); // prettier-ignore
    other.end();
    expect(other.leftovers()).toEqual([]);
  });

  test('joins the accumulators of reducing and aggregating states', () => {
    const sum = reducingState<number>('sum', { reduce: (a, b) => a + b });
    const mean = aggregatingState('mean', {
      aggregate: {
        createAccumulator: () => [] as number[],
        add: (n: number, all) => [...all, n],
        getResult: (all) => all.join('+'),
      },
    });
    const seen: unknown[] = [];
    const { trigger } = scripted({
      states: [sum, mean],
      onElement: (item, _timestamp, _window, ctx) => {
        if (item.n > 0) {
          ctx.state(sum).add(item.n);
          ctx.state(mean).add(item.n);
        }
        seen.push([ctx.state(sum).get(), ctx.state(mean).get()]);
        return 'CONTINUE';
      },
      onMerge: (_merged, _absorbed, ctx) => {
        ctx.mergeState(sum, (a, b) => a + b);
        ctx.mergeState(mean, (a, b) => [...a, ...b]);
      },
    });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    run.add('k', 1, 1).add('k', 2, 20).add('k', 3, 9).add('k', 0, 5).add('k', 4, 13).add('k', 0, 17);
    expect(seen).toEqual([
      [1, '1'],
      [2, '2'],
      [3, '3'],
      [4, '1+3'],
      [8, '1+3+4'],
      [10, '1+3+4+2'],
    ]);
    run.end();
    expect(run.leftovers()).toEqual([]);
  });

  test('what it joins is committed, also when nothing else changes it', async () => {
    const sum = reducingState<number>('sum', { reduce: (a, b) => a + b });
    const { trigger } = scripted({
      states: [sum],
      onElement: ({ n }, _timestamp, _window, ctx) => {
        if (n > 0) ctx.state(sum).add(n);
        return n < 0 && ctx.state(sum).get() === 10 ? 'FIRE' : 'CONTINUE';
      },
      onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(sum, (a, b) => a + b),
    });
    const job: HarnessJob = (env) =>
      env
        .input<Item>()
        .keyBy(({ key }) => key)
        .window(SessionWindow.withGap(5))
        .trigger(trigger)
        .count()
        .addSink(() => undefined);
    const times: readonly (readonly [n: number, time: number])[] = [[4, 1], [6, 9], [0, 5], [-1, 6], [0, 7]]; // prettier-ignore
    const items = times.map(([n, timestamp]): HarnessItem => ({ type: 'record', input: 0, value: { key: 'k', n }, timestamp })); // prettier-ignore
    const run = { batchSize: 1, cachedBytes: 0 };
    const { outputs } = await runBatched(() => graphOf(job), [...items, { type: 'end', input: 0 }], run);
    expect(outputs.map(({ value }) => value)).toEqual([4, 5]);
  });

  test('is not for collections', () => {
    const { trigger } = scripted({
      states: [LIST],
      onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(LIST as never, (a) => a),
    });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    const error = errorOf(() => run.add('k', 1, 1).add('k', 2, 3));
    expect([error.code, error.details]).toMatchObject(['RS_UNSUPPORTED', { state: 'list' }]);
  });

  test('refuses what cannot be stored', () => {
    const { trigger } = scripted({
      ...joining,
      onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(MEMO, () => (() => 1) as never),
    });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    const merging = () => run.add('k', 1, 1).add('k', 2, 9).add('k', 3, 5);
    expect(errorOf(merging).code).toBe('RS_INVALID_VALUE');
  });

  test('is for onMerge alone', () => {
    const { trigger } = scripted({
      states: [MEMO],
      ...onElement((ctx) => ctx.mergeState(MEMO, (a) => a)),
      onMerge: () => undefined,
    });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    expect(errorOf(() => run.add('k', 1, 1)).code).toBe('RS_UNSUPPORTED');
  });

  test('wants a declared state', () => {
    const { trigger } = scripted({ onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(MEMO, (a) => a) });
    const run = new WindowRun(SessionWindow.withGap(5), { trigger });
    expect(errorOf(() => run.add('k', 1, 1).add('k', 2, 3)).code).toBe('RS_STATE_UNDECLARED');
  });
});
