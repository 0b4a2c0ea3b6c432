import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { Event } from '../../test-support/job-catalogue.ts';
import { KEYS, PassesRun, record, reminders } from '../../test-support/passes-run.ts';
import { ignore, strict } from '../../test-support/simulated-jobs.ts';
import type { HarnessJob } from '../../testing/index.ts';
import type { CommitBatch } from './backend.ts';

describe('after a takeover in the middle', () => {
  test('a failure on the way leaves nothing of what was left undone out', async () => {
    let failures = 0;
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (key, { time }, ctx, out) => {
            ctx.registerEventTimeTimer(10);
            ctx.registerProcessingTimeTimer(5);
            out.collect(`${key} ${time}`);
          },
          onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time}`),
          onProcessingTime: (_time, key, _ctx, out) => {
            if (failures-- > 0) throw new Error('boom');
            out.collect(`${key} clock`);
          },
        })
        .addSink(ignore);
    };
    const run = new PassesRun();
    const options = { maxFires: 2, processingTime: 'clock', cachedBytes: 0 } as const;
    const first = await run.open(job, options);
    await first.process(KEYS.map((key) => record(key, 0)));
    run.dying.add(first.seq + 1);
    const next = record('a', 100);
    await expect(first.process([next])).rejects.toThrow('died');
    run.clock.time = 6;
    const second = await run.open(job, options);
    failures = 2;
    await expect(second.tick()).resolves.toBeUndefined(); // The item that was begun comes before the clock.
    expect(second.nextTimer).toBe(Infinity);
    await second.process([next]);
    await expect(second.tick()).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    await second.process([record('b', 101)]);
    await expect(second.tick()).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    while (second.nextTimer <= 6) await second.tick();
    expect(run.values.slice(7)).toEqual([
      ...KEYS.map((key) => `${key} @10`),
      'a 100',
      'a @10',
      'b 101',
      'b @10',
      ...KEYS.map((key) => `${key} clock`),
    ]);
  });

  test('a failure in the first call does not hide what is left', async () => {
    let fails = false;
    const job: HarnessJob = (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (key, { time }, ctx, out) => {
            ctx.registerEventTimeTimer(10);
            out.collect(`${key} ${time}`);
          },
          onEventTime: (time, key, _ctx, out) => {
            if (fails) throw new Error('boom');
            out.collect(`${key} @${time}`);
          },
        })
        .addSink(ignore);
    };
    const run = new PassesRun();
    const options = { maxFires: 3, cachedBytes: 0 };
    const first = await run.open(job, options);
    await first.process(KEYS.map((key) => record(key, 0)));
    run.dying.add(first.seq + 1);
    await expect(first.process([record('a', 100)])).rejects.toThrow('died');
    const second = await run.open(job, options);
    fails = true;
    await expect(second.tick()).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED' });
    fails = false;
    expect(second.nextTimer).toBe(-Infinity);
    await second.process([record('a', 100)]);
    expect(run.values.slice(7)).toEqual([...KEYS.map((key) => `${key} @10`), 'a 100', 'a @10']);
  });
});

describe('a commit that is too large', () => {
  const tooLarge = (outputs: number) => (batch: CommitBatch) => {
    if (batch.outputs.length > outputs) throw new RsError('RS_RECORD_TOO_LARGE', 'too many outputs');
  };

  test('is made in parts, if that is for the timers that fire', async () => {
    const run = new PassesRun();
    run.admit = tooLarge(3);
    const driver = await run.open(reminders());
    for (const key of KEYS) await driver.process([record(key, 0)]);
    const before = driver.seq;
    await driver.process([record('y', 100)]);
    expect(run.parts(before + 1).every(([, fired]) => fired <= 3)).toBe(true);
    expect(run.values.slice(7)).toEqual([...KEYS.map((key) => `${key} @10`), 'y 100']);
  });

  test.each(['event', 'processing'] as const)(
    'is the failure of the timer that it is for, if it is for one on %s time',
    async (kind) => {
      const job: HarnessJob = (env) => {
        env
          .input<Event>()
          .assignTimestampsAndWatermarks(strict)
          .keyBy(({ key }) => key)
          .process<string>(
            {
              processElement: (key, _event, ctx, out) => {
                if (kind === 'event') ctx.registerEventTimeTimer(10);
                else ctx.registerProcessingTimeTimer(10);
                out.collect(key);
              },
              onEventTime: (_time, key, _ctx, out) => out.collect(`${key} @`),
              onProcessingTime: (_time, key, _ctx, out) => out.collect(`${key} @`),
            },
            { uid: 'alarm' },
          )
          .addSink(ignore);
      };
      const run = new PassesRun();
      run.admit = ({ outputs }) => {
        if (outputs.some(({ value }) => value === 'c @')) throw new RsError('RS_SINK_FAILED', 'not this one');
      };
      const driver = await run.open(job, { processingTime: 'clock' });
      await driver.process(KEYS.map((key) => record(key, 0)));
      run.clock.time = 20;
      const work = async () => {
        if (driver.position === 7 && kind === 'event')
          await driver.process([record('y', 5), record('z', 100)]);
        while (driver.nextTimer <= 20) await driver.tick();
      };
      await expect(work()).rejects.toMatchObject({ code: 'RS_SINK_FAILED' });
      const { failedTimer } = driver;
      expect(failedTimer).toEqual({ operator: 'alarm', kind, time: 10, key: 's:c', namespace: '' });
      if (failedTimer !== undefined) expect(await driver.discardTimer(failedTimer)).toBe(true);
      const rest = [record('y', 5), record('z', 100)].slice(driver.position - 7);
      if (kind === 'event') await driver.process(rest);
      else while (driver.nextTimer <= 20) await driver.tick();
      const fired = ['a @', 'b @', 'd @', 'e @', 'f @', 'g @'];
      expect(run.values.filter((value) => String(value).endsWith('@')).slice(0, 6)).toEqual(fired);
      if (kind === 'event') expect(driver.position).toBe(9);
    },
  );

  test('is the failure of its record if nothing else can be left out', async () => {
    const run = new PassesRun();
    run.admit = tooLarge(0);
    const driver = await run.open(reminders(), { attempts: 2 });
    await expect(driver.process([record('a', 0)])).rejects.toMatchObject({ code: 'RS_RECORD_TOO_LARGE' });
    expect([driver.failedByUser, driver.position]).toEqual([true, 0]);
  });
});
