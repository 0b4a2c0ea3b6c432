import { describe, expect, test } from '@jest/globals';
import {
  defineJob,
  largeMapState,
  listState,
  mapState,
  outputTag,
  setState,
  topic,
  valueState,
} from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { notCalled, orders, spending, spent } from '../test-support/orders-job.ts';
import { TestDriver } from './index.ts';

const words = topic<string>('words');
const byLetter = mapState<string, number>('by-letter');
const all = listState<string>('all');
const distinct = setState<string>('distinct');
const large = largeMapState<string, number>('large');
const last = valueState<string>('last');

const counting = defineJob((env) => {
  const keyed = env.fromTopic(words, 'test').keyBy((word) => word.length, { uid: 'by-length' });
  const seen = keyed.getSetState(distinct);
  keyed
    .process<never>(
      {
        open: (ctx) => {
          for (const descriptor of [byLetter, all, large, last]) ctx.state(descriptor);
        },
        processElement: (_length, word, ctx) => {
          const letter = word.slice(0, 1);
          ctx.state(byLetter).put(letter, (ctx.state(byLetter).get(letter) ?? 0) + 1);
          ctx.state(all).add(word);
          ctx.state(large).put(word, word.length);
          ctx.state(last).update(word);
          seen.add(word);
          ctx.registerEventTimeTimer(10);
        },
        onEventTime: notCalled,
      },
      { uid: 'counting' },
    )
    .addSink(notCalled);
  keyed.reduce((a, b) => a + b).addSink(notCalled);
});

describe('state', () => {
  test('is what is committed of a key, as its kind, wherever it is', async () => {
    const driver = TestDriver.of(counting, { topics: { words: 4 } });
    await driver.send(
      words,
      ['no', 'yes', 'or', 'not', 'no'].map((value) => ({ key: String(value.length), value })),
    );
    const map: Map<string, number> = await driver.state('counting', byLetter, 2);
    expect(map).toEqual(
      new Map([
        ['n', 2],
        ['o', 1],
      ]),
    );
    expect(await driver.state('counting', all, 3)).toEqual(['yes', 'not']);
    expect(await driver.state('by-length', distinct, 2)).toEqual(new Set(['no', 'or']));
    expect(await driver.state('counting', large, 3)).toEqual(
      new Map([
        ['not', 3],
        ['yes', 3],
      ]),
    );
    expect(await driver.state('counting', last, 2)).toBe('no');
    expect(await driver.state('counting', last, 7)).toBeUndefined();
    expect(await driver.state('counting', all, 7)).toEqual([]);
  });

  test('is read when it is its turn', async () => {
    const driver = TestDriver.of(spending);
    void driver.send(orders, { value: { customer: 'ada', amount: 5 } });
    expect(await driver.state('by-customer', spent, 'ada')).toBe(5);
  });

  test('is not what waits for a full batch', async () => {
    const driver = TestDriver.of(spending, { batchSize: 2 });
    await driver.send(orders, { value: { customer: 'ada', amount: 5 } });
    expect(await driver.state('by-customer', spent, 'ada')).toBeUndefined();
    await driver.flush();
    expect(await driver.state('by-customer', spent, 'ada')).toBe(5);
  });

  test('that is changed without an update is not stored, and not seen by the next record', async () => {
    const list = valueState<string[]>('list');
    const job = defineJob((env) => {
      const keyed = env.fromTopic(words, 'test').keyBy(() => 'all', { uid: 'by-nothing' });
      const state = keyed.getState(list);
      keyed
        .process<number>((_key, word, _ctx, out) => {
          const before = state.value();
          if (before === undefined) state.update([word]);
          out.collect(before?.push(word) ?? 1);
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(words, [{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    expect(driver.outputs()).toEqual([1, 2, 2]);
    expect(await driver.state('by-nothing', list, 'all')).toEqual(['a']);
  });

  test('of an operator without a uid is found by its place in the job', async () => {
    const job = defineJob((env) => {
      const keyed = env.fromTopic(words, 'test').keyBy((word) => word);
      const count = keyed.getState(spent);
      keyed.process<void>(() => count.update(count.value() + 1)).addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(words, { value: 'a' });
    expect(await driver.state('keyBy-3', spent, 'a')).toBe(1);
  });

  test.each([
    [null, 'null'],
    ['spent', "'spent'"],
    [{ name: 'spent' }, 'an object'],
  ])('needs a descriptor, not %p', async (descriptor, got) => {
    await expect(
      TestDriver.of(spending).state('by-customer', descriptor as never, 'ada'),
    ).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      message: `state: needs the descriptor of the state, such as valueState(name) makes, got ${got}`,
    });
  });

  test.each([[null], [undefined], [Number.NaN]])('cannot be that of the key %p', async (key) => {
    await expect(TestDriver.of(spending).state('by-customer', spent, key)).rejects.toMatchObject({
      code: 'RS_INVALID_KEY',
      message: expect.stringMatching(/^state: a key must be a string/),
      details: { operation: 'state', received: key },
    });
  });

  test('says what there is when it is asked for something else', async () => {
    const driver = TestDriver.of(counting);
    await expect(driver.state('by-lenght', distinct, 1)).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      message: expect.stringContaining("state: the job has no operator 'by-lenght'; it has 'source-0'"),
    });
    await expect(driver.state('by-length', last, 1)).rejects.toMatchObject({
      code: 'RS_STATE_UNDECLARED',
      message: expect.stringContaining("'distinct' of 'by-length', 'by-letter' of 'counting'"),
    });
    await expect(driver.state('counting', listState('last'), 1)).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      message: "state: state 'last' of process 'counting' is a value state, not a list state",
    });
    await expect(driver.state('counting', last, undefined)).rejects.toMatchObject({ code: 'RS_INVALID_KEY' });
    await expect(driver.state('counting', { name: 'last' } as never, 1)).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
    });
  });

  test('of a job without any', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(words, 'test')
        .map((word) => word)
        .addSink(notCalled, { uid: 'out' });
    });
    await expect(TestDriver.of(job).state('out', last, 1)).rejects.toMatchObject({
      code: 'RS_STATE_UNDECLARED',
      message: expect.stringContaining('the job declares none'),
    });
  });
});

describe('timers', () => {
  test('are those that have not fired, in the order of their times, of windows too', async () => {
    const job = defineJob((env) => {
      const keyed = env.fromTopic(words, 'test').keyBy((word) => word);
      keyed
        .process<void>(
          {
            processElement: (_word, _value, ctx) => {
              ctx.registerProcessingTimeTimer(70);
              ctx.registerEventTimeTimer(20);
            },
            onEventTime: () => undefined,
            onProcessingTime: () => undefined,
          },
          { uid: 'process' },
        )
        .addSink(notCalled);
      keyed.window(TumblingWindow.of(50)).count({ uid: 'windows' }).addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { words: 3 } });
    await driver.send(words, [
      { value: 'b', timestamp: 5 },
      { value: 'a', timestamp: 6 },
    ]);
    const timers = (time: number, kind: string, uid: string) =>
      ['a', 'b'].map((key) => ({ uid, kind, key, time }));
    expect(driver.timers()).toEqual([
      ...timers(20, 'event', 'process'),
      ...timers(49, 'event', 'windows'),
      ...timers(70, 'processing', 'process'),
    ]);
    expect(driver.timers('windows')).toEqual(timers(49, 'event', 'windows'));
    await driver.advanceWatermark(20);
    await driver.advanceTime(70);
    expect(driver.timers()).toEqual(timers(49, 'event', 'windows'));
    await driver.end();
    expect(driver.timers()).toEqual([]);
  });

  test('of an operator that there is not', () => {
    expect(() => TestDriver.of(counting).timers('nobody')).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: expect.objectContaining({ operator: 'nobody' }),
      }),
    );
  });
});

describe('outputs and side outputs say what there is when they are asked for something else', () => {
  test('a sink', () => {
    const driver = TestDriver.of(spending);
    expect(() => driver.outputs('alert')).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        message: "outputs: the job has no sink 'alert'; it has 'sink-5' (windows-out), 'alerts'",
      }),
    );
    expect(() => driver.outputRecords()).toThrow(
      /^outputRecords: the job has 2 sinks, so say which one; it has 'sink-5'/,
    );
    expect(() => TestDriver.of(counting).outputs('sink')).toThrow(
      /^outputs: 2 sinks are called 'sink', so use the uid of one; it has 'sink-/,
    );
  });

  test('a side output', () => {
    const driver = TestDriver.of(spending);
    const other = outputTag<string>('other');
    const refused = (message: unknown) => expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', message });
    expect(() => driver.sideOutput('window', other)).toThrow(
      refused(expect.stringContaining("no operator 'window'")),
    );
    expect(() => driver.sideOutput('windows', other)).toThrow(
      refused("sideOutput: window 'windows' has no side output 'other'; it has 'too-late'"),
    );
    expect(() => driver.sideOutput('by-customer', other)).toThrow(
      refused("sideOutput: keyBy 'by-customer' has no side output 'other'; it has none"),
    );
    expect(() => driver.sideOutput('windows', undefined as never)).toThrow(
      refused(expect.stringContaining('needs a tag')),
    );
    expect(driver.sideOutput('totals', other)).toEqual([]);
  });
});
