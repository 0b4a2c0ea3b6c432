import { describe, expect, test } from '@jest/globals';
import {
  mapState,
  reducingState,
  setState,
  type StreamEnvironment,
  topic as topicOf,
  valueState,
} from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { TumblingWindow } from '@rs/window';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { contents, type Event, events } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

/** Sends values one by one and restarts the job in the middle, once by a stop and once by a kill. */
async function throughRestarts(
  topic: string,
  define: (env: StreamEnvironment) => void,
  values: readonly unknown[],
): Promise<string[]> {
  const parts = [values.slice(0, 3), values.slice(3, 6), values.slice(6)];
  let sent = 0;
  for (const [n, part] of parts.entries()) {
    const { client, kill } = await jobs.start(define, { lease: 500 });
    if (part.length > 0)
      await jobs.send(
        topic,
        part.map((value) => ({ value })),
      );
    sent += part.length;
    await until('this part', async () => (await jobs.results(topic)).length >= sent);
    if (n === 0) await client.stop();
    if (n === 1) await kill();
  }
  return jobs.results(topic);
}

const COUNT = reducingState<number>('constructor', { reduce: (a, b) => a + b });
const MAP = mapState<unknown, number>('__proto__');
const SET = setState<unknown>('toString');

/** Counts each key, and keeps it in collections as well. */
function counting(topic: string, keyOf: (value: unknown) => unknown = (value) => value) {
  return (env: StreamEnvironment): void => {
    env
      .fromTopic(topicOf<unknown>(topic), 'g')
      .keyBy(keyOf, { uid: 'hasOwnProperty' })
      .process<string>(
        {
          open(ctx) {
            for (const state of [COUNT, MAP, SET]) ctx.state(state);
          },
          processElement(key, _value, ctx, out) {
            const count = ctx.state(COUNT);
            const map = ctx.state(MAP);
            count.add(1);
            map.put(key, (map.get(key) ?? 0) + 1);
            ctx.state(SET).add(key);
            out.collect(`${count.get()} ${map.get(key)} ${ctx.state(SET).size()}`);
          },
        },
        { uid: 'valueOf' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

test('words that every object has are keys, names of states and ids like any other (C81)', async () => {
  const topic = await jobs.topic();
  const words = 'constructor __proto__ toString constructor hasOwnProperty __proto__ valueOf a'.split(' ');
  const results = await throughRestarts(topic, counting(topic), words);
  expect(results).toEqual([1, 1, 1, 2, 1, 2, 1, 1].map((n) => `${n} ${n} 1`));
  const { client } = await jobs.start(counting(topic));
  expect(await client.queryState('valueOf', COUNT, '__proto__')).toBe(2);
  expect(await client.queryState('valueOf', MAP, 'constructor')).toEqual(new Map([['constructor', 2]]));
  expect(await client.queryState('valueOf', SET, 'prototype')).toEqual(new Set());
});

test.each(['__proto__', 'constructor'])('an operator, a source and a sink may be called %s', async (id) => {
  const topic = await jobs.topic();
  const define = (env: StreamEnvironment): void => {
    env
      .fromMqTopicWithId(id === '__proto__' ? 'constructor' : '__proto__', topic, '__proto__')
      .map(({ value }) => value as Event)
      .keyBy(({ key }) => key, { uid: 'toString' })
      .window(TumblingWindow.of(10))
      .apply(contents, { uid: id })
      .addSink(redisStream('results'), { uid: 'valueOf' });
  };
  const first = await jobs.start(define);
  await jobs.send(topic, events('a:1@1 a:2@15 a:3@2'));
  await until('the window', async () => (await jobs.results(topic)).length === 1);
  await first.client.stop();
  const second = await jobs.start(define);
  await jobs.send(topic, events('a:4@3 a:5@25'));
  await until('the next', async () => (await jobs.results(topic)).length === 2);
  expect(await jobs.results(topic)).toEqual(['a [0,10): 1', 'a [10,20): 2']);
  const [task] = second.client.diagnostics().tasks;
  expect(Object.entries(task?.lateRecords ?? {})).toEqual([[id, 2]]);
  expect(Object.entries(task?.watermarks ?? {})).toContainEqual([id, 24]);
});

describe('each key is its own, whatever it is made of (C86)', () => {
  const KEYS: readonly unknown[] = [
    '',
    'x\0y',
    '\ud800',
    '\udfff',
    '\ufffd',
    '😀',
    '\ude00\ud83d',
    'ключ',
    'مفتاح\r\n',
    '鍵',
    '1',
    1,
    1n,
    -0.5,
    true,
    'true',
    ['1'],
    [1],
    { a: 1, b: [] },
    Uint8Array.of(0xc3, 0x28, 0x00, 0xff),
    Uint8Array.of(0xc3, 0x28, 0x00),
    'a:b',
    '3:a:b',
    '{tag}',
    '%d800',
    'k'.repeat(5_000),
  ];

  test('twice each, with restarts', async () => {
    const topic = await jobs.topic();
    const order = [...KEYS.keys(), ...KEYS.keys()];
    const results = await throughRestarts(
      topic,
      counting(topic, (value) => KEYS[Number(value)]),
      order,
    );
    expect(results).toEqual([...KEYS.map(() => '1 1 1'), ...KEYS.map(() => '2 2 1')]);
    const { client } = await jobs.start(counting(topic));
    for (const key of KEYS) {
      expect(await client.queryState('valueOf', COUNT, key)).toBe(2);
      expect(await client.queryState('valueOf', MAP, key)).toEqual(new Map([[key, 2]]));
    }
  });

  test('what is no key is the fault of its record alone', async () => {
    const topic = await jobs.topic();
    const bad: readonly unknown[] = ['a', undefined, null, NaN, new Date(0), Symbol('s'), () => 0, 'b'];
    await jobs.send(
      topic,
      bad.map((_key, value) => ({ value })),
    );
    await jobs.start(counting(topic, (value) => bad[Number(value)]));
    await until('both good ones', async () => (await jobs.results(topic)).length === 2);
    const letters = await jobs.deadLetters(topic);
    expect(letters.map(({ reason, attempts }) => `${reason} ${attempts}`)).toEqual(
      Array.from({ length: 6 }, () => 'attempts 1'),
    );
  });
});

describe('values of state are what they were, or refused at the call (C84)', () => {
  const VALUES: readonly unknown[] = [
    {
      d: new Date(0),
      u: undefined,
      n: NaN,
      i: Infinity,
      z: -0,
      b: 10n,
      m: new Map([[1, 2]]),
      s: new Set([1]),
    },
    Uint8Array.of(0xc3, 0x28, 0x00, 0xff),
    '\ud800 \0 😀 \r\n שלום',
    '',
    0,
    false,
    JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
    [undefined, null, [new Date(5)]],
  ];
  const VALUE = valueState<unknown>('value');
  const IN_MAP = mapState<string, unknown>('map');

  test('through a restart', async () => {
    const topic = await jobs.topic();
    const found: unknown[] = [];
    const keeping = (env: StreamEnvironment): void => {
      env
        .fromTopic(topicOf<number>(topic), 'g')
        .keyBy((n) => n % VALUES.length)
        .process<string>(
          {
            open(ctx) {
              for (const state of [VALUE, IN_MAP]) ctx.state(state);
            },
            processElement(key, n, ctx, out) {
              if (n < VALUES.length) {
                ctx.state(VALUE).update(VALUES[key]);
                ctx.state(IN_MAP).put('it', VALUES[key]);
              } else {
                found.push(ctx.state(VALUE).value(), ctx.state(IN_MAP).get('it'));
              }
              out.collect(String(n));
            },
          },
          { uid: 'values' },
        )
        .addSink(redisStream('results'), { uid: 'results' });
    };
    await throughRestarts(topic, keeping, [
      ...VALUES.keys(),
      ...Array.from(VALUES.keys(), (n) => n + VALUES.length),
    ]);
    expect(found).toEqual(VALUES.flatMap((value) => [value, value]));
    expect(Object.is((found[0] as { z: number }).z, -0)).toBe(true);
  });

  test('a cycle and a function are refused where they are stored: the record fails, and nothing of it stays', async () => {
    const topic = await jobs.topic();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const bad: readonly unknown[] = ['good', cycle, { f: () => 0 }, Symbol('s'), 'good'];
    const COUNTS = valueState('counts', { default: () => 0 });
    const caught: unknown[] = [];
    await jobs.start((env) => {
      env
        .fromTopic(topicOf<number>(topic), 'g')
        .keyBy(() => 'all')
        .process<string>({
          open(ctx) {
            ctx.state(VALUE);
            ctx.state(COUNTS);
          },
          processElement(_key, n, ctx, out) {
            ctx.state(COUNTS).update(ctx.state(COUNTS).value() + 1);
            out.collect(String(ctx.state(COUNTS).value()));
            try {
              ctx.state(VALUE).update(bad[n]);
            } catch (error) {
              caught.push(error);
              throw error;
            }
          },
        })
        .addSink(redisStream('results'), { uid: 'results' });
    });
    await jobs.send(
      topic,
      bad.map((_value, n) => ({ value: n })),
    );
    await until('the good ones', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['1', '2']);
    expect(await jobs.deadLetters(topic)).toHaveLength(3);
    for (const error of caught) expect(error).toMatchObject({ code: 'RS_INVALID_VALUE' });
  });
});
