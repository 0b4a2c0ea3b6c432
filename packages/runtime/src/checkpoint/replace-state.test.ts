import { describe, expect, test } from '@jest/globals';
import { type DataStream, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { CountTrigger, PurgingTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { type AnyStream, JobRun } from '../test-support/job-run.ts';
import { throughStorage } from '../test-support/resumed-run.ts';
import { replaceState } from './replace-state.ts';
import { emptySnapshot, takeSnapshot } from './take-snapshot.ts';

const count = valueState('count', { default: () => 0 });

/** A run whose functions take a snapshot and go back to it. */
class Rewinding {
  readonly run: JobRun<string>;
  #snapshot = emptySnapshot();

  constructor(define: (input: DataStream<string>, rewinding: Rewinding) => AnyStream) {
    this.run = new JobRun<string>((input) => define(input, this));
  }

  keep(): void {
    this.#snapshot = throughStorage(takeSnapshot(this.run.job, [], []));
  }

  goBack(): void {
    replaceState(this.run.job, { checkpointId: 1, snapshot: this.#snapshot });
  }

  get results(): readonly unknown[] {
    return this.run.output().values;
  }
}

/** Goes back when it sees this. */
const BACK = 'back';

describe('state that is replaced while an operator', () => {
  const timed = (input: DataStream<string>) =>
    input.assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(100)).keyBy(() => 'k');

  test('adds to a window: what it adds is lost, and the window is what it was', () => {
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(100))
        .aggregate({
          createAccumulator: () => [] as string[],
          add: (value, acc) => {
            if (value === BACK) self.goBack();
            return [...acc, value];
          },
          getResult: (acc) => acc.join(),
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], [BACK, 3], ['c', 4]).end();
    expect(rewinding.results).toEqual(['a,c']);
    expect(rewinding.run.leftovers()).toEqual([]);
  });

  test('has made a new window, which is forgotten', () => {
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(10))
        .trigger({
          onElement: (value, _timestamp, _window, ctx) => {
            if (value === BACK) self.goBack();
            ctx.registerEventTimeTimer(ctx.closingTime);
            return 'FIRE';
          },
          onEventTime: () => 'FIRE',
          onProcessingTime: () => 'CONTINUE',
        })
        .apply<string>((_key, { start }, elements, out) => out.collect(`${start} ${elements.join()}`)),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed([BACK, 15], ['b', 2]).end();
    expect(rewinding.results).toEqual(['0 a', '0 a,b', '0 a,b']);
    expect(rewinding.run.leftovers()).toEqual([]);
  });

  test('asks the trigger, which fires what is there no longer', () => {
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(100))
        .trigger({
          onElement: (value) => {
            if (value === BACK) self.goBack();
            return value === BACK ? 'FIRE_AND_PURGE' : 'CONTINUE';
          },
          onEventTime: () => 'FIRE',
          onProcessingTime: () => 'CONTINUE',
        })
        .apply<string>((_key, { start }, elements, out) => out.collect(`${start} ${elements.join()}`)),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], [BACK, 3], ['c', 4]).end();
    expect(rewinding.results).toEqual(['0 a,c']);
  });

  test('adds to a window: its trigger is not asked about what was lost', () => {
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(100))
        .trigger(CountTrigger.of(3))
        .aggregate({
          createAccumulator: () => [] as string[],
          add: (value, acc) => {
            if (value === BACK) self.goBack();
            return [...acc, value];
          },
          getResult: (acc) => acc.join(),
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed([BACK, 3], ['c', 4]);
    expect(rewinding.results).toEqual([]);
    rewinding.run.feed(['d', 5]);
    expect(rewinding.results).toEqual(['a,c,d']);
  });

  test('emits and purges a window: its contents are what they were', () => {
    let back = true;
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(100))
        .trigger(PurgingTrigger.of(CountTrigger.of(2)))
        .apply<string>((_key, _window, elements, out) => {
          out.collect(elements.join());
          if (back) self.goBack();
          back = false;
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], ['c', 3]);
    expect(rewinding.results).toEqual(['a,b', 'a,c']);
  });

  test('emits a window: neither it nor the state of its trigger is removed', () => {
    const seen = valueState('seen', { default: () => 0 });
    let back = true;
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(10))
        .trigger({
          states: [seen],
          onElement: (_value, _timestamp, _window, ctx) => {
            ctx.state(seen).update(ctx.state(seen).value() + 1);
            return 'CONTINUE';
          },
          onEventTime: () => 'FIRE',
          onProcessingTime: () => 'CONTINUE',
          clear: (_window, ctx) => {
            cleared.push(ctx.state(seen).value());
            ctx.state(seen).clear();
          },
        })
        .apply<string>((_key, _window, elements, out) => {
          out.collect(elements.join());
          if (back) self.goBack();
          back = false;
        }),
    );
    const cleared: number[] = [];
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2]).end();
    expect(rewinding.results).toEqual(['a,b', 'a']);
    expect(cleared).toEqual([1]);
  });

  test('asks the trigger when a window ends, which is then not over', () => {
    let back = true;
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(10))
        .trigger({
          onElement: (_value, _timestamp, _window, ctx) => {
            ctx.registerEventTimeTimer(ctx.closingTime);
            return 'CONTINUE';
          },
          onEventTime: () => {
            if (back) self.goBack();
            back = false;
            return 'CONTINUE';
          },
          onProcessingTime: () => 'CONTINUE',
        })
        .reduce((a, b) => a + b),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2]).end();
    expect(rewinding.results).toEqual(['a']);
  });

  test('evicts elements of a window: they are what they were', () => {
    let back = true;
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(100))
        .trigger(CountTrigger.of(2))
        .evictor({ describe: () => 'all', evictAfter: () => [] })
        .apply<string>((_key, _window, elements, out) => {
          out.collect(elements.map(String).join());
          if (back) self.goBack();
          back = false;
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], ['c', 3]);
    expect(rewinding.results).toEqual(['a,b', 'a,c']);
  });

  test('emits a window: it is not removed, and is emitted again', () => {
    let back = true;
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(TumblingWindow.of(10))
        .apply<string>((_key, { start }, elements, out) => {
          out.collect(`${start} ${elements.join()}`);
          if (back) {
            back = false;
            self.goBack();
          }
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2]).end();
    expect(rewinding.results).toEqual(['0 a,b', '0 a']);
    expect(rewinding.run.leftovers()).toEqual([]);
  });

  test('merges sessions: they are what they were', () => {
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(SessionWindow.withGap(10))
        .aggregate({
          createAccumulator: () => [] as string[],
          add: (value, acc) => [...acc, value],
          getResult: (acc) => acc.join(),
          merge: (a, b) => {
            self.goBack();
            return [...a, ...b];
          },
        }),
    );
    rewinding.run.feed(['a', 0], ['c', 15]);
    rewinding.keep();
    rewinding.run.feed([BACK, 8]).end();
    expect(rewinding.results).toEqual(['a', 'c']);
    expect(rewinding.run.leftovers()).toEqual([]);
  });

  test('merges sessions that keep their elements, and the states of their triggers', () => {
    const counted = valueState('counted', { default: () => 0 });
    const rewinding = new Rewinding((input, self) =>
      timed(input)
        .window(SessionWindow.withGap(10))
        .trigger({
          states: [counted],
          onElement: (_value, _timestamp, _window, ctx) => {
            ctx.state(counted).update(ctx.state(counted).value() + 1);
            return ctx.state(counted).value() === 2 ? 'FIRE' : 'CONTINUE';
          },
          onEventTime: () => 'FIRE',
          onProcessingTime: () => 'CONTINUE',
          onMerge: () => self.goBack(),
        })
        .apply<string>((_key, { start }, elements, out) => out.collect(`${start} ${elements.join()}`)),
    );
    rewinding.run.feed(['a', 0], ['c', 15]);
    rewinding.keep();
    rewinding.run.feed([BACK, 8]);
    expect(rewinding.results).toEqual([]);
    rewinding.run.feed(['d', 15]).end();
    expect(rewinding.results).toEqual(['15 c,d', '0 a']);
  });

  test('adds to a sum: what it was and what is added are lost', () => {
    const rewinding = new Rewinding((input, self) =>
      input
        .keyBy(() => 'k')
        .reduce((a, b) => {
          if (b === BACK) self.goBack();
          return `${a}${b}`;
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], [BACK, 3], ['c', 4]);
    expect(rewinding.results).toEqual(['a', 'ab', 'abback', 'ac']);
  });

  test('calls a process function: what that does later counts', () => {
    const rewinding = new Rewinding((input, self) =>
      input
        .keyBy(() => 'k')
        .process<string>({
          open: (ctx) => void ctx.state(count),
          processElement: (_key, value, ctx, out) => {
            ctx.state(count).update(ctx.state(count).value() + 1);
            if (value === 'a') ctx.registerEventTimeTimer(50);
            else ctx.registerEventTimeTimer(60);
            if (value === BACK) {
              self.goBack();
              ctx.state(count).update(ctx.state(count).value() + 10);
            }
            out.collect(`${value} ${ctx.state(count).value()}`);
          },
          onEventTime: (time, _key, _ctx, out) => out.collect(`timer ${time}`),
        }),
    );
    rewinding.run.feed(['a', 1]);
    rewinding.keep();
    rewinding.run.feed(['b', 2], [BACK, 3], ['c', 4]).end();
    expect(rewinding.results).toEqual(['a 1', 'b 2', 'back 11', 'c 12', 'timer 50', 'timer 60']);
  });
});

test('a snapshot of another job changes nothing in the middle of a run', () => {
  const state = { operator: 'p', state: 'count', partition: 0, partitions: 1, cells: [] };
  const snapshot = { ...emptySnapshot(), states: [state] };
  const rewinding = new Rewinding((input) => input.keyBy((value) => value).reduce((a, b) => a + b));
  rewinding.run.feed(['a', 1]);
  expect(() => replaceState(rewinding.run.job, { checkpointId: 1, snapshot })).toThrow(
    expect.objectContaining({ code: 'RS_CHECKPOINT_MISMATCH' }),
  );
  rewinding.run.feed(['a', 2]);
  expect(rewinding.results).toEqual(['a', 'aa']);
});
