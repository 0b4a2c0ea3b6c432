import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  type KeyedStream,
  largeMapState,
  listState,
  mapState,
  outputTag,
  reducingState,
  setState,
  type Trigger,
  valueState,
} from '@rs/core';
import { EventTimeTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { describeGraph } from '../graph/describe.ts';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const untyped = (value: unknown) => value as never;
const nothings = [null, undefined, 'text', 7, {}, []];
const ignore = () => undefined;

function stream(env = new TestEnvironment()): DataStream<string> {
  return env.input<string>();
}

function keyed(env = new TestEnvironment()): KeyedStream<string, string> {
  return stream(env).keyBy((text) => text);
}

describe('what cannot be connected is refused when it is declared', () => {
  const env = new TestEnvironment();
  const rules = mapState<string, string>('rules');

  test.each([
    ['a keyed stream and one without keys', () => keyed(env).connect(untyped(stream(env)))],
    ['a stream without keys and a keyed one', () => stream(env).connect(untyped(keyed(env)))],
    ['the same in a cogroup', () => keyed(env).cogroup(untyped(stream(env)))],
  ])('%s', (_name, step) => {
    const error = errorOf(step);
    expect(error.code).toBe('RS_INVALID_ARGUMENT');
    expect(error.message).toMatch(/keyBy both, or broadcast the one without keys$/);
  });

  test.each([
    ['streams', () => stream(env).connect(stream())],
    ['keyed streams', () => keyed(env).connect(keyed())],
    ['a keyed stream and a broadcast one', () => keyed(env).connect(stream().broadcast(rules))],
    ['a stream and a broadcast one', () => stream(env).connect(stream().broadcast(rules))],
    ['keyed streams of a cogroup', () => keyed(env).cogroup(keyed())],
  ])('%s of two environments', (_name, step) => {
    const error = errorOf(step);
    expect(error.code).toBe('RS_INVALID_ARGUMENT');
    expect(error.message).toMatch(/same environment$/);
  });

  test.each(nothings)('%p', (bad) => {
    for (const step of [
      () => stream().connect(untyped(bad)),
      () => keyed().connect(untyped(bad)),
      () => keyed().cogroup(untyped(bad)),
      () => stream(env).connect(untyped(stream(env).connect(stream(env)))),
      () => keyed(env).cogroup(untyped(stream(env).broadcast(rules))),
    ]) {
      const error = errorOf(step);
      expect([error.code, error.message]).toEqual([
        'RS_INVALID_ARGUMENT',
        expect.stringMatching(/^(connect|cogroup) needs another (keyed )?stream, got /),
      ]);
    }
  });
});

describe('a bad argument is refused when it is declared', () => {
  test.each(nothings)('%p as a function', (bad) => {
    const env = new TestEnvironment();
    const pair = stream(env).connect(stream(env));
    const both = keyed(env).connect(keyed(env));
    const rules = stream(env).broadcast(mapState('rules'));
    const windows = both.window(TumblingWindow.of(10));
    for (const step of [
      () => pair.process(untyped(bad)),
      () => pair.map(untyped(bad), ignore),
      () => pair.map(ignore, untyped(bad)),
      () => pair.flatMap(untyped(bad), ignore),
      () => pair.flatMap(() => [], untyped(bad)),
      () => pair.keyBy(untyped(bad), (text) => text),
      () => pair.keyBy((text) => text, untyped(bad)),
      () => both.process(untyped(bad)),
      () => both.process(untyped({ processElement1: ignore })),
      () => both.window(untyped(bad)),
      () => both.getState(untyped(bad)),
      () => both.getLargeMapState(untyped(bad)),
      () => keyed(env).connect(rules).process(untyped(bad)),
      () => stream(env).connect(rules).process(untyped(bad)),
      () =>
        stream(env)
          .connect(rules)
          .process(untyped({ processElement: ignore })),
      () => windows.apply(untyped(bad)),
      () => windows.process(untyped(bad)),
      () => windows.trigger(untyped(bad)),
      () => windows.evictor(untyped(bad)),
      () => windows.sideOutputLateData(untyped(bad)),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
    }
  });

  test('broadcast states are maps with names of their own', () => {
    const map = mapState<string, string>('rules');
    for (const bad of [null, 'rules', listState('l'), valueState('v'), largeMapState('m')]) {
      expect(errorOf(() => stream().broadcast(untyped(bad))).code).toBe('RS_INVALID_ARGUMENT');
      expect(errorOf(() => stream().broadcast([map, untyped(bad)])).code).toBe('RS_INVALID_ARGUMENT');
    }
    expect(errorOf(() => stream().broadcast(map, mapState('rules'))).message).toMatch(
      /two states have the name 'rules'/,
    );
    expect(() => stream().broadcast()).not.toThrow();
  });

  test('a uid that is no name', () => {
    const env = new TestEnvironment();
    const uid = 'a:b';
    const nothing = { processElement1: ignore, processElement2: ignore };
    for (const step of [
      () => stream(env).connect(stream(env)).process(nothing, { uid }),
      () => stream(env).connect(stream(env)).map(ignore, ignore, { uid }),
      () => stream(env).connect(stream(env)).keyBy((text) => text, (text) => text, { uid }),
      () => keyed(env).connect(keyed(env), { uid }),
      () => keyed(env).cogroup(keyed(env), { uid }),
      () => keyed(env).connect(keyed(env)).process(nothing, { uid }),
      () => stream(env).broadcast([], { uid }),
      () => keyed(env).connect(keyed(env)).window(TumblingWindow.of(1)).apply(ignore, { uid }),
    ] /* prettier-ignore */) {
      expect(errorOf(step).code).toBe('RS_INVALID_NAME');
    }
  });

  test('a uid of keyBy that is too long for the uids of both streams', () => {
    const env = new TestEnvironment();
    const declare = (uid: string) => stream(env).connect(stream(env)).keyBy((text) => text, (text) => text, { uid }); // prettier-ignore
    expect(() => declare('x'.repeat(122))).not.toThrow();
    for (const length of [123, 128]) {
      const error = errorOf(() => declare('y'.repeat(length)));
      expect([error.code, error.message]).toEqual([
        'RS_INVALID_NAME',
        `keyBy: the two streams get this uid with '.left' and with '.right', so it may have at most 122 characters, but it has ${length}`,
      ]);
    }
    expect(errorOf(() => declare('z'.repeat(129))).message).toMatch(/^uid of keyBy must be 1 to 128 /);
  });

  test('an evictor that evicts nothing, a trigger that cannot merge, lateness where nothing is late', () => {
    const env = new TestEnvironment();
    const both = keyed(env).cogroup(keyed(env));
    const trigger: Trigger<unknown> = {
      onElement: () => 'CONTINUE',
      onEventTime: () => 'FIRE',
      onProcessingTime: () => 'FIRE',
    };
    for (const step of [
      () => both.window(TumblingWindow.of(1)).evictor({ describe: () => 'nothing' }),
      () => both.window(SessionWindow.withGap(1)).trigger(trigger).apply(ignore),
      () => both.window(TumblingWindow.of(1, { time: 'processing' })).allowedLateness(1),
      () => both.window(TumblingWindow.of(1, { time: 'processing' })).sideOutputLateData(outputTag('late')),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
    }
    expect(() =>
      both.window(SessionWindow.withGap(1)).trigger(EventTimeTrigger.create()).apply(ignore),
    ).not.toThrow();
  });
});

test('side outputs are those of process, and late data', () => {
  const env = new TestEnvironment();
  const tag = outputTag<string>('tag');
  const pair = stream(env).connect(stream(env));
  const nothing = { processElement1: ignore, processElement2: ignore };
  expect(() => pair.process(nothing).getSideOutput(tag)).not.toThrow();
  expect(errorOf(() => pair.map(ignore, ignore).getSideOutput(tag)).code).toBe('RS_INVALID_ARGUMENT');
  const windows = keyed(env).cogroup(keyed(env)).window(TumblingWindow.of(1));
  expect(errorOf(() => windows.apply(ignore).getSideOutput(tag)).code).toBe('RS_INVALID_ARGUMENT');
  expect(() => windows.process(ignore).getSideOutput(tag)).not.toThrow();
  expect(() => windows.sideOutputLateData(tag).apply(ignore).getSideOutput(tag)).not.toThrow();
});

test('describe tells kinds, names, uids and states', () => {
  const env = new TestEnvironment();
  const [left, right] = [stream(env), stream(env)];
  const pair = left.connect(right);
  const nothing = { processElement1: ignore, processElement2: ignore };
  const rules = right.broadcast([mapState('rules', { schemaVersion: 2 }), mapState('names')], {
    uid: 'shared',
  });
  const onlyBroadcast = { processElement: ignore, processBroadcastElement: ignore };
  const both = pair.keyBy((text) => text, (text) => text, { uid: 'both' }); // prettier-ignore
  both.getState(valueState('last'));
  both.getReducingState(reducingState('most', { reduce: (a: string) => a }));
  const limited = left.keyBy((text) => text).connect(rules);
  limited.getSetState(setState('seen'));
  for (const result of [
    pair.process(nothing, { uid: 'pair' }),
    pair.map(ignore, ignore),
    both.process(nothing, { uid: 'process', name: 'enrich' }),
    left.connect(rules).process(onlyBroadcast),
    limited.process(onlyBroadcast, { name: 'limit' }),
    left
      .keyBy((text) => text)
      .cogroup(right.keyBy((text) => text))
      .window(TumblingWindow.of(10))
      .apply(ignore),
  ]) {
    result.addSink(ignore);
  }
  const described = describeGraph(env.graph()).operators.filter(
    ({ kind }) => kind !== 'source' && kind !== 'sink',
  );
  expect(
    described.map(({ kind, name, uid = '', detail = '', inputs, states }) => [
      [kind, name, uid, detail].join(' '),
      inputs.length,
      states.map((state) => `${state.kind} ${state.name} ${state.schemaVersion}`).join(', '),
    ]),
  ).toEqual([
    ['broadcast broadcast shared rules, names', 1, ''],
    ['keyBy keyBy both.left ', 1, ''],
    ['keyBy keyBy both.right ', 1, ''],
    ['connect connect both ', 2, 'value last 1, reducing most 1'],
    ['keyBy keyBy  ', 1, ''],
    ['connect connect  ', 2, 'set seen 1'],
    ['coProcess process pair ', 2, ''],
    ['coProcess map  ', 2, ''],
    ['coProcess enrich process ', 1, ''],
    ['coProcess process  ', 2, 'map broadcast.rules 2, map broadcast.names 1'],
    ['coProcess limit  ', 1, 'map broadcast.rules 2, map broadcast.names 1'],
    ['keyBy keyBy  ', 1, ''],
    ['keyBy keyBy  ', 1, ''],
    ['connect cogroup  ', 2, ''],
    ['window cogroup  tumbling(10)', 1, 'value windows 1, list elements 1'],
  ]);
});
