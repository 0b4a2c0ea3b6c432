import { describe, expect, test } from '@jest/globals';
import {
  type Collector,
  type KeyedProcessFunction,
  outputTag,
  type ProcessContext,
  type Trigger,
  valueState,
} from '@rs/core';
import { PurgingTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { DriverRun } from '../../test-support/driver-run.ts';
import type { Event } from '../../test-support/job-catalogue.ts';
import { event, strict } from '../../test-support/simulated-jobs.ts';
import type { HarnessJob } from '../../testing/index.ts';
import type { BatchedDriver } from './batched-driver.ts';
import type { FailedTimer } from './failed-timer.ts';
import type { InputItem } from './input-item.ts';

const FAILED = { code: 'RS_USER_FUNCTION_FAILED' };

const record = (key: string, time: number, amount = 1): InputItem => ({
  type: 'record',
  input: 0,
  value: event(key, time, amount),
  timestamp: time,
});

type Timers = Pick<
  KeyedProcessFunction<string, Event, string>,
  'onEventTime' | 'onProcessingTime' | 'onTimerGivenUp'
>;

/** Each record sets a timer for its amount from now on. */
const timers =
  (
    kind: 'event' | 'processing',
    functions: Timers,
    behind: (text: string) => unknown = (text) => text,
  ): HarnessJob =>
  (env) => {
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strict)
      .keyBy(({ key }) => key)
      .process<string>(
        {
          processElement: (_key, { time, amount }, ctx) => {
            if (kind === 'event') ctx.registerEventTimeTimer(time + amount);
            else ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + amount);
          },
          ...functions,
        },
        { uid: 'timers' },
      )
      .keyBy((text) => text)
      .map(behind)
      .process<unknown>((_key, value, _ctx, out) => out.collect(value))
      .addSink(() => undefined);
  };

/** Gives up timers until the items go through; returns these. */
async function discarding(driver: BatchedDriver, work: () => Promise<void>): Promise<FailedTimer[]> {
  const given: FailedTimer[] = [];
  for (;;) {
    try {
      await work();
      return given;
    } catch (error) {
      const { failedTimer } = driver;
      if (failedTimer === undefined) throw error;
      given.push(failedTimer);
      expect(await driver.discardTimer(failedTimer)).toBe(true);
    }
  }
}

describe('a timer whose callback fails', () => {
  test('of event time is told, and the record goes through once it is given up', async () => {
    const run = new DriverRun();
    const driver = await run.open(
      timers('event', {
        onEventTime: (time, key, _ctx, out) => {
          if (key === 'b') throw new Error('not b');
          out.collect(`${key}@${time}`);
        },
      }),
    );
    await driver.process([record('a', 0, 5), record('b', 1, 5), record('c', 2, 3)]);
    expect(driver.failedTimer).toBeUndefined();
    const next = [record('d', 10)];
    await expect(driver.process(next)).rejects.toMatchObject(FAILED);
    const timer = { operator: 'timers', kind: 'event', time: 6, key: 's:b', namespace: '' } as const;
    expect([driver.failedTimer, driver.failedByUser, driver.position]).toEqual([timer, true, 3]);
    await driver.discardTimer(timer);
    expect([driver.failedTimer, run.backend.commits().at(-1)]).toMatchObject([
      undefined,
      { offset: 3, timers: [{ op: 'remove', time: 6, key: 's:b' }], outputs: [] },
    ]);
    await driver.process(next);
    expect(run.values).toEqual(['a@5', 'c@5']);
  });

  test('its function is told when it is given up, and what it does is part of that commit', async () => {
    const waiting = valueState<number>('waiting');
    const lost = outputTag<string>('lost');
    const run = new DriverRun();
    const driver = await run.open((env) => {
      const found = env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .process<string>(
          {
            open: (ctx) => void ctx.state(waiting),
            processElement: (_key, { time, amount }, ctx) => {
              ctx.state(waiting).update(amount);
              ctx.registerEventTimeTimer(time + amount);
            },
            onEventTime: () => {
              throw new Error('never');
            },
            onTimerGivenUp: (kind, time, key, ctx) => {
              ctx.output(lost, `${key} ${kind} ${time}: ${ctx.state(waiting).value()}`);
              ctx.state(waiting).clear();
              ctx.registerEventTimeTimer(1_000);
            },
          },
          { uid: 'timers' },
        );
      found.getSideOutput(lost).addSink(() => undefined, { name: 'lost' });
    });
    await driver.process([record('a', 0, 5)]);
    const given = await discarding(driver, () => driver.process([record('b', 10)]));
    expect(given.map(({ time }) => time)).toEqual([5]);
    expect(run.values).toEqual(['a event 5: 5']);
    expect(run.backend.commits()[1]).toMatchObject({
      offset: 1,
      timers: [
        { op: 'remove', time: 5, key: 's:a' },
        { op: 'add', time: 1_000, key: 's:a' },
      ],
      cells: [{ op: 'delete' }],
      outputs: [{ value: 'a event 5: 5' }],
    });
  });

  test('a function that cannot say at once what goes with it is refused', async () => {
    const run = new DriverRun();
    const driver = await run.open(
      timers('event', {
        onEventTime: () => {
          throw new Error('never');
        },
        onTimerGivenUp: async () => Promise.resolve(),
      }),
    );
    await driver.process([record('a', 0, 5)]);
    await expect(driver.process([record('b', 10)])).rejects.toMatchObject(FAILED);
    const timer = driver.failedTimer;
    if (timer === undefined) throw new Error('no timer failed');
    await expect(driver.discardTimer(timer)).rejects.toMatchObject({ code: 'RS_ASYNC_NOT_ALLOWED' });
    expect(run.backend.storedTimers()).toHaveLength(1);
  });

  test('of processing time is told by tick', async () => {
    const run = new DriverRun();
    const job = timers('processing', {
      onProcessingTime: async (time, key, _ctx, out) => {
        await Promise.resolve();
        if (key !== 'a') throw new Error('only a');
        out.collect(`${key}@${time}`);
      },
    });
    const driver = await run.open(job, { processingTime: 'clock' });
    await driver.process([record('a', 0, 7), record('b', 1, 5), record('c', 2, 9)]);
    run.clock.time = 20;
    const given = await discarding(driver, () => driver.tick());
    expect(given.map(({ kind, key, time }) => [kind, key, time])).toEqual([
      ['processing', 's:b', 5],
      ['processing', 's:c', 9],
    ]);
    expect([run.values, run.backend.storedTimers()]).toEqual([['a@7'], []]);
  });

  test('is told when what it led to fails, behind the state of another operator', async () => {
    const run = new DriverRun();
    const job = timers('event', { onEventTime: (_time, key, _ctx, out) => out.collect(key) }, (text) => {
      if (text === 'b') throw new Error('not b');
      return text;
    });
    const driver = await run.open(job);
    const items = [record('a', 0), record('b', 0), record('c', 0), record('d', 10)];
    const given = await discarding(driver, () => driver.process(items.slice(driver.position)));
    expect([given.map(({ key }) => key), run.values]).toEqual([['s:b'], ['a', 'c']]);
  });

  test.each(['event', 'processing'] as const)(
    'of %s time is told also when a timer has set it that was due with it',
    async (kind) => {
      const run = new DriverRun();
      const register = (ctx: ProcessContext<string>, time: number): void =>
        kind === 'event' ? ctx.registerEventTimeTimer(time) : ctx.registerProcessingTimeTimer(time);
      const fire = (time: number, key: string, ctx: ProcessContext<string>, out: Collector<string>): void => {
        if (time % 10 === 9) {
          if (key === 'b') throw new Error('not b');
          out.collect(`${key}@${time}`);
        } else if (time % 10 < 7) {
          register(ctx, time + 1);
        } else {
          register(ctx, time - (time % 10) + 9);
        }
      };
      const job = timers(kind, { onEventTime: fire, onProcessingTime: fire });
      const driver = await run.open(job, kind === 'event' ? {} : { processingTime: 'clock' });
      await driver.process([record('a', 0, 1), record('b', 0, 1), record('c', 0, 2)]);
      run.clock.time = 100;
      const work = async (): Promise<void> => {
        if (kind === 'event') return driver.process([record('d', 100, 1)]);
        for (let i = 0; i < 20; i++) await driver.tick();
      };
      const given = await discarding(driver, work);
      expect(given.map(({ key, time }) => [key, time])).toEqual([['s:b', 9]]);
      expect(run.values).toEqual(['a@9', 'c@9']);
    },
  );

  test('is not told when the record itself fails', async () => {
    const run = new DriverRun();
    const driver = await run.open(timers('event', { onEventTime: () => undefined }));
    const bad = { ...record('a', 1), value: undefined } as InputItem;
    await expect(driver.process([record('a', 0), bad])).rejects.toThrow();
    expect([driver.failedTimer, driver.failedByUser]).toEqual([undefined, true]);
  });

  test('is not told when a record fails that others have fired before', async () => {
    const run = new DriverRun();
    const fired: number[] = [];
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (_key, { time, amount }, ctx) => {
            if (amount < 0) throw new Error('negative');
            ctx.registerProcessingTimeTimer(time + amount);
          },
          onProcessingTime: (time) => void fired.push(time),
        })
        .addSink(() => undefined);
    });
    await driver.process([record('a', 0, 5)]);
    await expect(driver.process([record('b', 10, -1)])).rejects.toMatchObject(FAILED);
    expect([fired, driver.failedTimer, driver.failedByUser]).toEqual([[5], undefined, true]);
  });

  test('is not told when it is gone with its record, which has set it', async () => {
    const run = new DriverRun();
    const driver = await run.open(
      timers('event', {
        onEventTime: () => {
          throw new Error('always');
        },
      }),
    );
    const past = record('a', 0, -5); // It is due at once.
    await driver.process([record('x', 0, 1_000)]);
    await expect(driver.process([past])).rejects.toMatchObject(FAILED);
    expect([driver.failedTimer, driver.failedByUser]).toEqual([undefined, true]);
  });

  test('can be given up once', async () => {
    const run = new DriverRun();
    const driver = await run.open(timers('event', { onEventTime: () => undefined }));
    await driver.process([record('a', 0, 5)]);
    const timer = { operator: 'timers', kind: 'event', time: 5, key: 's:a', namespace: '' } as const;
    expect(await driver.discardTimer(timer)).toBe(true);
    const { seq } = driver;
    expect(await driver.discardTimer(timer)).toBe(false);
    expect(await driver.discardTimer({ ...timer, operator: 'nobody' })).toBe(false);
    expect([driver.seq, run.backend.storedTimers()]).toEqual([seq, []]);
  });
});

describe('a window that cannot be emitted', () => {
  const emitting =
    (name: 'tumbling' | 'session', bad: (key: string) => boolean): HarnessJob =>
    (env) => {
      const keyed = env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key);
      const windowed =
        name === 'tumbling' ? keyed.window(TumblingWindow.of(10)) : keyed.window(SessionWindow.withGap(10));
      windowed
        .apply<string>((key, { start, end }, elements, out) => {
          if (bad(key)) throw new Error(`not ${key}`);
          out.collect(`${key}@${start}-${end}:${elements.length}`);
        })
        .addSink(() => undefined);
    };

  test.each(['tumbling', 'session'] as const)(
    '%s: goes unfired with its timer, and leaves nothing behind',
    async (name) => {
      const run = new DriverRun();
      const driver = await run.open(emitting(name, (key) => key === 'b'));
      await driver.process([record('a', 0), record('b', 1), record('b', 2), record('c', 3)]);
      const items = [record('d', 30), { type: 'end', input: 0 } as const];
      const given = await discarding(driver, () => driver.process(items.slice(driver.position - 4)));
      expect(given.map(({ key }) => key)).toEqual(['s:b']);
      expect(run.values.map((value) => String(value).slice(0, 1))).toEqual(['a', 'c', 'd']);
      expect([run.backend.storedTimers(), run.backend.cells()]).toEqual([[], []]);
    },
  );

  test('is emitted later when only the timer of its trigger was given up', async () => {
    const seen = valueState('seen', { default: () => 0 });
    let failing = true;
    const trigger: Trigger<unknown> = {
      states: [seen],
      onElement: (_element, timestamp, _window, ctx) => {
        ctx.state(seen).update(1);
        ctx.registerEventTimeTimer(timestamp + 3);
        return 'CONTINUE';
      },
      onEventTime: (time) => {
        if (failing && time < 9) throw new Error('too early');
        return 'FIRE';
      },
      onProcessingTime: () => 'CONTINUE',
    };
    const run = new DriverRun();
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .trigger(PurgingTrigger.of(trigger))
        .apply<string>((key, _window, elements, out) => out.collect(`${key}:${elements.length}`))
        .addSink(() => undefined);
    });
    await driver.process([record('a', 0)]);
    const next = [record('a', 6)];
    const given = await discarding(driver, () => driver.process(next));
    expect(given).toMatchObject([{ kind: 'event', time: 3, key: 's:a', namespace: '0' }]);
    failing = false;
    await driver.process([{ type: 'end', input: 0 }]);
    expect(run.values).toEqual(['a:2']);
    expect([run.backend.storedTimers(), run.backend.cells()]).toEqual([[], []]);
  });
});
