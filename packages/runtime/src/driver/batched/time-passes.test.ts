import { describe, expect, test } from '@jest/globals';
import type { WatermarkGenerator } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import type { Event } from '../../test-support/job-catalogue.ts';
import { end, KEYS, PassesRun, record, reminders } from '../../test-support/passes-run.ts';
import { ignore, strict } from '../../test-support/simulated-jobs.ts';
import type { HarnessJob } from '../../testing/index.ts';

/** Each record sets a timer on the clock, 10 ms later. */
const alarms: HarnessJob = (env) => {
  env
    .input<Event>()
    .keyBy(({ key }) => key)
    .process<string>({
      processElement: (key, { time }, ctx, out) => {
        ctx.registerProcessingTimeTimer(time + 10);
        out.collect(`${key} ${time}`);
      },
      onProcessingTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
    })
    .addSink(ignore);
};

describe('where more timers are due than may fire in one commit', () => {
  test('they fire in several, in their order, and then what made them due is processed', async () => {
    const run = new PassesRun();
    const driver = await run.open(reminders(), { maxFires: 3 });
    await driver.process(KEYS.map((key) => record(key, 0)));
    const before = driver.seq;
    await driver.process([record('x', 5), record('y', 100), record('z', 101)]);
    expect(run.parts(before + 1)).toEqual([
      [8, 3],
      [8, 3],
      [10, 2],
    ]);
    expect(run.values.slice(7)).toEqual([
      'x 5',
      ...KEYS.map((key) => `${key} @10`),
      'x @15',
      'y 100',
      'z 101',
    ]);
    expect(driver.position).toBe(10);
  });

  test.each([1, 2, 4])('after a crash behind part %d the rest fires before anything else', async (part) => {
    const run = new PassesRun();
    const first = await run.open(reminders(), { maxFires: 2 });
    await first.process(KEYS.map((key) => record(key, 0)));
    run.dying.add(first.seq + part);
    const more = [record('y', 100), record('z', 100)];
    await expect(first.process(more)).rejects.toThrow('died');
    const left = part === 4;
    const second = await run.open(reminders(), { maxFires: 2 });
    expect([second.position, second.nextTimer]).toEqual(left ? [9, Infinity] : [7, -Infinity]);
    expect(run.values.slice(7)).toHaveLength(left ? 9 : 2 * part);
    await second.tick();
    expect([second.position, second.nextTimer]).toEqual([left ? 9 : 7, Infinity]);
    await second.process(more.slice(second.position - 7));
    expect(run.values.slice(7)).toEqual([...KEYS.map((key) => `${key} @10`), 'y 100', 'z 100']);
  });

  test('so they do at the end', async () => {
    const run = new PassesRun();
    const driver = await run.open(reminders(), { maxFires: 3 });
    await driver.process(KEYS.map((key) => record(key, 0)));
    const before = driver.seq;
    await driver.process([end]);
    expect(run.parts(before + 1)).toEqual([[7, 3], [7, 3], [8, 1]]); // prettier-ignore
    expect(run.values.slice(7)).toEqual(KEYS.map((key) => `${key} @10`));
  });

  test('functions before the first barrier are called once, and generators go on as they were', async () => {
    let [calls, generators] = [0, 0];
    class EveryThird implements WatermarkGenerator<Event> {
      #seen = 0;

      constructor() {
        generators++;
      }

      onEvent({ time }: Event, _timestamp: number, output: { emitWatermark(watermark: number): void }): void {
        if (++this.#seen % 3 === 0) output.emitWatermark(time);
      }

      onPeriodicEmit(): void {
        // With every third event only.
      }
    }
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .map((value) => {
          calls++;
          return value;
        })
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forGenerator<Event>(() => new EveryThird()).withTimestampAssigner(
            ({ time }) => time,
          ),
        )
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (_key, { time, amount }, ctx) => {
            for (let i = 0; i < amount; i++) ctx.registerEventTimeTimer(time + i);
          },
          onEventTime: (time, key, ctx, out) => out.collect(`${key} @${time} w${ctx.currentWatermark()}`),
        })
        .addSink(ignore);
    };
    const run = new PassesRun();
    const driver = await run.open(job, { maxFires: 1 });
    await driver.process([record('a', 0, 3), record('b', 50), record('c', 20), record('d', 30), record('e', 90), record('f', 99)]); // prettier-ignore
    expect([calls, generators]).toEqual([6, 1]);
    expect(run.values).toEqual(
      ['a @0 w20', 'a @1 w20', 'a @2 w20', 'c @20 w20', 'd @30 w99', 'b @50 w99', 'e @90 w99', 'f @99 w99'],
    ); // prettier-ignore
  });

  test('a failing one is named, all before it are settled, and it can be given up', async () => {
    const failing: HarnessJob = (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .process<string>(
          {
            processElement: (key, _event, ctx, out) => {
              ctx.registerEventTimeTimer(10);
              out.collect(key);
            },
            onEventTime: (_time, key, _ctx, out) => {
              if (key === 'e') throw new Error('boom');
              out.collect(`${key} @`);
            },
          },
          { uid: 'alarm' },
        )
        .addSink(ignore);
    };
    const run = new PassesRun();
    const driver = await run.open(failing, { maxFires: 3, timerPage: 2 });
    await driver.process(KEYS.map((key) => record(key, 0)));
    const next = [record('y', 100), record('z', 100)];
    await expect(driver.process(next)).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    const { failedTimer } = driver;
    expect([failedTimer, driver.position, driver.nextTimer]).toEqual([
      { operator: 'alarm', kind: 'event', time: 10, key: 's:e', namespace: '' },
      7,
      -Infinity,
    ]);
    expect(run.values.slice(7)).toEqual(['a @', 'b @', 'c @']);
    const another = await run.open(failing, { maxFires: 3, timerPage: 1 });
    if (failedTimer !== undefined) expect(await another.discardTimer(failedTimer)).toBe(true);
    await another.process(next);
    expect(run.values.slice(7)).toEqual(['a @', 'b @', 'c @', 'd @', 'f @', 'g @', 'y', 'y @', 'z', 'z @']);
  });
});

describe('the clock', () => {
  test('lets so many timers fire with each tick; none of the others fires in between', async () => {
    const run = new PassesRun();
    const driver = await run.open(alarms, { maxFires: 3, processingTime: 'clock' });
    await driver.process(KEYS.map((key) => record(key, 0)));
    run.clock.time = 30;
    await driver.tick();
    expect([run.values.slice(7), driver.nextTimer]).toEqual([['a @10', 'b @10', 'c @10'], 10]);
    await driver.process([record('d', 100)]);
    await driver.tick();
    expect(run.values.slice(10)).toEqual(['d 100', 'd @10', 'e @10', 'f @10']);
    await driver.tick();
    expect([run.values.slice(14), driver.nextTimer]).toEqual([['g @10'], 110]);
  });

  test('makes event timers fire that its own timers register in the past, whatever the limit', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (key, { time }, ctx, out) => {
            ctx.registerProcessingTimeTimer(10);
            out.collect(`${key} ${time}`);
          },
          onProcessingTime: (_time, key, ctx, out) => {
            ctx.registerEventTimeTimer(1);
            ctx.registerEventTimeTimer(2);
            out.collect(`${key} clock`);
          },
          onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
        })
        .addSink(ignore);
    };
    const run = new PassesRun();
    const driver = await run.open(job, { maxFires: 1, processingTime: 'clock', cachedBytes: 0 });
    await driver.process([record('a', 100), record('b', 100)]);
    run.clock.time = 20;
    await driver.tick();
    expect([run.values.slice(2), driver.nextTimer]).toEqual([['a clock'], 10]);
    await driver.process([record('c', 101)]);
    await driver.tick();
    await driver.tick();
    const fired = ['a @1', 'a @2', 'c 101', 'b clock', 'c clock', 'b @1', 'c @1', 'b @2', 'c @2'];
    expect([run.values.slice(3), driver.nextTimer]).toEqual([fired, Infinity]);
  });

  test('of an idle input brings them in several commits of one tick, also where one of these is the last', async () => {
    const strategy = strict.withIdleness(50, { mode: 'advance' });
    const run = new PassesRun();
    const options = { maxFires: 2 };
    const first = await run.open(reminders(strategy), options);
    await first.process(KEYS.slice(0, 5).map((key) => record(key, 0)));
    const before = first.seq;
    run.dying.add(before + 2);
    run.clock.time = 60;
    await expect(first.tick()).rejects.toThrow('died');
    expect(run.parts(before + 1)).toEqual([[5, 2], [5, 2]]); // prettier-ignore
    const second = await run.open(reminders(strategy), options);
    expect(second.nextTimer).toBe(-Infinity);
    await second.tick();
    expect(run.values.slice(5)).toEqual(['a @10', 'b @10', 'c @10', 'd @10', 'e @10']);
    expect(second.nextTimer).toBe(Infinity);
  });
});

describe('timers that are not in memory', () => {
  test('are read when their time comes, in few calls also when all of them are due', async () => {
    const run = new PassesRun();
    const options = { timerPage: 10 };
    const first = await run.open(reminders(), options);
    for (let i = 0; i < 10; i++) await first.process([record('a', i, 100)]);
    expect(run.reads).toEqual([]);
    const second = await run.open(reminders(), options);
    expect(run.reads).toEqual([{ limit: 10, queues: 2 }]);
    await second.process([record('b', 12, 1)]);
    expect([run.values.length, run.reads.length]).toEqual([10 + 2 + 1, 1]);
    await second.process([end]);
    expect(run.values).toHaveLength(11 + 110); // One for each time from 10 to 118, and that of 'b'.
    expect(run.reads.length).toBeLessThan(8);
  });

  test('are few also while many are registered', async () => {
    const run = new PassesRun();
    const driver = await run.open(reminders(), { timerPage: 10, maxFires: 20 });
    for (let i = 0; i < 10; i++) await driver.process([record(`k${i}`, 0, 100)]);
    expect(run.backend.storedTimers()).toHaveLength(1_000);
    const [wanted] = driver.eventTimers;
    expect(wanted).toBe(10);
    await driver.process([end]);
    expect(run.values).toHaveLength(1_010);
    expect(Math.max(...run.reads.map(({ limit }) => limit))).toBeLessThanOrEqual(100);
  });
});
