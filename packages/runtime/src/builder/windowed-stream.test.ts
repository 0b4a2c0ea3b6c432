import { describe, expect, test } from '@jest/globals';
import {
  type AggregateFunction,
  largeMapState,
  outputTag,
  type Trigger,
  valueState,
  type WindowAssigner,
  type WindowedStream,
} from '@rs/core';
import {
  CountTrigger,
  CountWindow,
  GlobalWindow,
  PurgingTrigger,
  SessionWindow,
  TumblingWindow,
} from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const untyped = (value: unknown) => value as never;
const nothings = [null, undefined, 'text', 7, {}];

function windowed(assigner: WindowAssigner<unknown> = TumblingWindow.of(10)): WindowedStream<string, number> {
  return new TestEnvironment()
    .input<number>()
    .keyBy(() => 'k')
    .window(assigner);
}

const sum: AggregateFunction<number, number, number> = {
  createAccumulator: () => 0,
  add: (value, total) => total + value,
  getResult: (total) => total,
};

describe('a bad argument is refused when it is declared', () => {
  test.each(nothings)('%p', (bad) => {
    const steps: (() => unknown)[] = [
      () => windowed().trigger(untyped(bad)),
      () => windowed().reduce(untyped(bad)),
      () => windowed().aggregate(untyped(bad)),
      () => windowed().apply(untyped(bad)),
      () => windowed().process(untyped(bad)),
      () => windowed().sideOutputLateData(untyped(bad)),
    ];
    if (bad !== undefined) steps.push(() => windowed().sum(untyped(bad)));
    for (const step of steps) expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
  });

  test('a trigger with a large map, for which it could not wait', () => {
    const trigger: Trigger<unknown> = {
      states: [valueState('v'), largeMapState('all')],
      onElement: () => 'CONTINUE',
      onEventTime: () => 'CONTINUE',
      onProcessingTime: () => 'CONTINUE',
    };
    const error = errorOf(() => windowed().trigger(trigger).count());
    expect([error.code, error.details]).toEqual(['RS_INVALID_ARGUMENT', { state: 'all' }]);
    const byDefault = { ...TumblingWindow.of(10), getDefaultTrigger: () => trigger };
    expect(() => windowed(Object.setPrototypeOf(byDefault, TumblingWindow.prototype) as TumblingWindow).count()).toThrow("large map 'all'"); // prettier-ignore
  });

  test.each([-1, NaN, Infinity, '5', '5 s', null])('%p as allowed lateness', (bad) => {
    expect(errorOf(() => windowed().allowedLateness(untyped(bad))).code).toBe('RS_INVALID_DURATION');
  });

  test('a mode of lateness that does not exist', () => {
    const error = errorOf(() => windowed().allowedLateness(5, { mode: untyped('never') }));
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      "allowedLateness: mode must be 'refire' or 'postpone', got 'never'",
    ]);
  });

  test('a uid that is no name', () => {
    for (const step of [
      () => windowed().count({ uid: 'a:b' }),
      () => windowed().sum(undefined, { uid: 'a:b' }),
      () => windowed().reduce((a) => a, { uid: 'a:b' }),
      () => windowed().aggregate(sum, (total) => total, { uid: 'a:b' }),
      () => windowed().apply(() => undefined, { uid: 'a:b' }),
      () => windowed().process(() => undefined, { uid: 'a:b' }),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_NAME');
    }
  });
});

describe('windows that merge', () => {
  test('need an aggregate with merge', () => {
    const error = errorOf(() => windowed(SessionWindow.withGap(5)).aggregate(sum));
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      'aggregate on session(5): windows that merge need an AggregateFunction with merge(a, b)',
    ]);
    expect(() => windowed().aggregate(sum)).not.toThrow();
    expect(() =>
      windowed(SessionWindow.withGap(5)).aggregate({ ...sum, merge: (a, b) => a + b }),
    ).not.toThrow();
  });

  test('need a trigger with onMerge, whatever the operation', () => {
    const plain: Trigger<unknown> = {
      onElement: () => 'FIRE',
      onEventTime: () => 'CONTINUE',
      onProcessingTime: () => 'CONTINUE',
    };
    for (const trigger of [plain, PurgingTrigger.of(plain)]) {
      const sessions = windowed(SessionWindow.withGap(5)).trigger(trigger);
      for (const step of [
        () => sessions.count(),
        () => sessions.reduce((a) => a),
        () => sessions.apply(() => undefined),
        () => sessions.process(() => undefined),
      ]) {
        expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
      }
      expect(() => windowed().trigger(trigger).count()).not.toThrow();
    }
    const counting = windowed(SessionWindow.withGap(5)).trigger(PurgingTrigger.of(CountTrigger.of(2)));
    expect(() => counting.count()).not.toThrow();
  });
});

describe('what is about late data', () => {
  const neverLate = [
    TumblingWindow.of(10, { time: 'processing' }),
    SessionWindow.withGap(5, { time: 'processing' }),
    GlobalWindow.create(),
    CountWindow.of(3),
  ];

  test.each(neverLate)(
    'is refused on $timeDomain windows where no record is late and it has no effect',
    (assigner) => {
      const late = outputTag<number>('late');
      for (const [operation, step] of [
        ['allowedLateness', () => windowed(assigner).allowedLateness(1)],
        ['sideOutputLateData', () => windowed(assigner).sideOutputLateData(late)],
      ] as const) {
        const error = errorOf(step);
        expect([error.code, error.details]).toEqual(['RS_INVALID_ARGUMENT', { operation }]);
        expect(error.message).toContain(`${operation} on ${assigner.describe()}`);
      }
    },
  );

  test.each(neverLate)('may say what holds there: no lateness', (assigner) => {
    expect(() => windowed(assigner).allowedLateness(0).count()).not.toThrow();
    const env = new TestEnvironment({ windowAllowedLateness: '1s' });
    const keyed = env.input<number>().keyBy(() => 'k');
    expect(() => keyed.window(assigner).count()).not.toThrow();
  });
});

describe('names', () => {
  test('a window operation is called by its operation, or as the user says', () => {
    const env = new TestEnvironment();
    const stream = env
      .input<number>()
      .keyBy(() => 'k')
      .window(TumblingWindow.of(10));
    stream.count().addSink(() => undefined);
    stream.count({ name: 'orders per window' }).addSink(() => undefined);
    stream.apply(() => undefined).addSink(() => undefined);
    const names = env.graph().nodes.filter(({ kind }) => kind === 'window');
    expect(names.map(({ name }) => name)).toEqual(['count', 'orders per window', 'apply']);
  });
});
