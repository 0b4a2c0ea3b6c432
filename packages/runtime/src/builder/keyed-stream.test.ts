import { describe, expect, test } from '@jest/globals';
import {
  aggregatingState,
  type KeyedStream,
  largeMapState,
  listState,
  mapState,
  reducingState,
  setState,
  valueState,
} from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const untyped = (value: unknown) => value as never;
const nothings = [null, undefined, 'text', 7, {}];

function keyed(): KeyedStream<string, number> {
  return new TestEnvironment().input<number>().keyBy(() => 'k');
}

describe('a bad argument is refused when it is declared', () => {
  test.each(nothings)('%p', (bad) => {
    const steps: (() => unknown)[] = [
      () => keyed().map(untyped(bad)),
      () => keyed().process(untyped(bad)),
      () => keyed().reduce(untyped(bad)),
      () => keyed().window(untyped(bad)),
      () => keyed().getState(untyped(bad)),
      () => keyed().getMapState(untyped(bad)),
      () => keyed().getListState(untyped(bad)),
      () => keyed().getSetState(untyped(bad)),
      () => keyed().getReducingState(untyped(bad)),
      () => keyed().getAggregatingState(untyped(bad)),
      () => keyed().getLargeMapState(untyped(bad)),
    ];
    if (bad !== undefined) {
      steps.push(
        () => keyed().sum(untyped(bad)),
        () => keyed().min(untyped(bad)),
        () => keyed().max(untyped(bad)),
      );
    }
    for (const step of steps) expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
  });

  test('a uid that is no name', () => {
    for (const step of [
      () => keyed().process(() => undefined, { uid: 'a:b' }),
      () => keyed().reduce((a) => a, { uid: 'a:b' }),
      () => keyed().sum(undefined, { uid: 'a:b' }),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_NAME');
    }
  });

  test('an assigner that is incomplete', () => {
    const { timeDomain: _timeDomain, ...assigner } = {
      timeDomain: 'event',
      assignWindows: () => [],
      getDefaultTrigger: () => TumblingWindow.of(1).getDefaultTrigger(),
      supportsWindowMerging: () => false,
      describe: () => 'mine',
    };
    expect(errorOf(() => keyed().window(untyped(assigner))).message).toContain("'event' or 'processing'");
    const undescribed = { ...assigner, timeDomain: 'event', describe: undefined };
    expect(errorOf(() => keyed().window(untyped(undescribed))).message).toContain('it has no describe()');
  });
});

describe('declared states', () => {
  test('want the descriptor of their kind', () => {
    const stream = keyed();
    const [value, map, list, set] = [valueState('v'), mapState('m'), listState('l'), setState('s')];
    const large = largeMapState('lm');
    const reducing = reducingState<number>('r', { reduce: (a, b) => a + b });
    const aggregating = aggregatingState('a', {
      aggregate: { createAccumulator: () => 0, add: (n: number, sum) => sum + n, getResult: (sum) => sum },
    });
    expect(() => [
      stream.getState(value),
      stream.getMapState(map),
      stream.getListState(list),
      stream.getSetState(set),
      stream.getReducingState(reducing),
      stream.getAggregatingState(aggregating),
      stream.getLargeMapState(large),
    ]).not.toThrow();
    expect(errorOf(() => stream.getState(untyped(map))).message).toContain('valueState(name, options)');
    expect(errorOf(() => stream.getMapState(untyped(list))).code).toBe('RS_INVALID_ARGUMENT');
    expect(errorOf(() => stream.getListState(untyped(set))).code).toBe('RS_INVALID_ARGUMENT');
    expect(errorOf(() => stream.getSetState(untyped(value))).code).toBe('RS_INVALID_ARGUMENT');
    for (const [wrong, factory] of [
      [() => stream.getState(untyped(reducing)), 'valueState'],
      [() => stream.getReducingState(untyped(value)), 'reducingState'],
      [() => stream.getAggregatingState(untyped(reducing)), 'aggregatingState'],
      [() => stream.getLargeMapState(untyped(map)), 'largeMapState'],
      [() => stream.getMapState(untyped(large)), 'mapState'],
    ] as const) {
      const error = errorOf(wrong);
      expect([error.code, error.message]).toEqual([
        'RS_INVALID_ARGUMENT',
        expect.stringContaining(` ${factory}(name, options)`),
      ]);
    }
  });

  test('may be declared twice by one descriptor, not by two of one name', () => {
    const stream = keyed();
    const count = valueState<number>('count');
    stream.getState(count);
    expect(() => stream.map((value) => value).getState(count)).not.toThrow();
    const error = errorOf(() => stream.getState(valueState<number>('count')));
    expect([error.code, error.details]).toEqual(['RS_INVALID_ARGUMENT', { state: 'count' }]);
    expect(errorOf(() => stream.map((value) => value).getMapState(mapState('count'))).code).toBe(
      'RS_INVALID_ARGUMENT',
    );
  });

  test('belong to their keyBy: another one may use the name', () => {
    const input = new TestEnvironment().input<number>();
    for (let i = 0; i < 2; i++) input.keyBy((value) => value).getState(valueState<number>('count'));
  });
});
