import { describe, expect, test } from '@jest/globals';
import { RsError, type StreamEnvironment, valueState } from '@rs/core';
import type { DeadLetter } from '@rs/mq';
import { useRedis } from '@rs/redis-server/jest';
import { numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const SUM = valueState('sum', { default: () => 0 });

/** A sum of everything that was not given up, emitted with each record. */
function summing(topic: string, fail: (value: number) => void, results: number[]) {
  return (env: StreamEnvironment): void => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .keyBy(() => 'all')
      .process<number>({
        open: (ctx) => void ctx.state(SUM),
        processElement(_key, value, ctx, out) {
          // The state is changed and a result emitted before it fails: nothing of that must stay.
          const sum = ctx.state(SUM);
          sum.update(sum.value() + value);
          out.collect(sum.value());
          fail(value);
        },
      })
      .addSink((value) => void results.push(value), { uid: 'results' });
  };
}

async function deadLetters(topic: string): Promise<DeadLetter<unknown>[]> {
  const letters = [];
  for await (const letter of jobs.mq.deadLetters(topic).list()) letters.push(letter);
  return letters;
}

test('a record that fails is tried again in its place: nothing counts twice, and nothing overtakes it', async () => {
  const topic = await jobs.topic();
  const failures = new Map<number, number>([
    [3, 2],
    [5, 1],
  ]);
  const results: number[] = [];
  const fail = (value: number): void => {
    const left = failures.get(value) ?? 0;
    if (left === 0) return;
    failures.set(value, left - 1);
    throw new RangeError(`no ${value}`);
  };
  await jobs.send(topic, numbers(1, 2, 3, 4, 5, 6));
  const { client } = await jobs.start(summing(topic, fail, results));
  await until('all results', () => results.length === 6);
  expect(results).toEqual([1, 3, 6, 10, 15, 21]);
  expect(client.diagnostics().tasks[0]).toMatchObject({ deadLetters: 0, inFlight: 0 });
});

test('a record that goes on failing becomes a dead letter in the commit that passes it, and says why', async () => {
  const topic = await jobs.topic();
  const results: number[] = [];
  await jobs.send(topic, numbers(1, 2, 3, 4));
  const { client } = await jobs.start(
    summing(
      topic,
      (value) => {
        if (value === 2) throw new RangeError('never 2');
      },
      results,
    ),
  );
  await until('the others', () => results.length === 3);
  expect(results).toEqual([1, 4, 8]);
  const [letter, ...others] = await deadLetters(topic);
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ group: 'g', attempts: 3, reason: 'attempts' });
  await expect(letter?.decode()).resolves.toMatchObject({
    value: 2,
    key: 'k',
    timestamp: 2,
    headers: {
      'x-runtime-job': jobs.jobName,
      'x-runtime-group': 'g',
      'x-runtime-error-type': 'RangeError',
      'x-runtime-error-message': expect.stringContaining('never 2') as unknown,
    },
  });
  expect(client.diagnostics().tasks[0]).toMatchObject({ deadLetters: 1 });
});

test('what is no message becomes a dead letter at once, and holds up nobody', async () => {
  const topic = await jobs.topic();
  const results: number[] = [];
  await jobs.send(topic, numbers(1));
  await jobs.redis.xadd(`${jobs.prefix}:{${topic}#0}:p0`, '*', 'foreign', 'entry');
  await jobs.send(topic, numbers(2));
  await jobs.start(summing(topic, () => undefined, results));
  await until('both', () => results.length === 2);
  expect(results).toEqual([1, 3]);
  await expect(jobs.mq.deadLetters(topic).count()).resolves.toMatchObject({ total: 1 });
});

test('an entry with too many fields for a dead letter is one all the same', async () => {
  const topic = await jobs.topic();
  const results: number[] = [];
  const log = `${jobs.prefix}:{${topic}#0}:p0`;
  await jobs.redis.xadd(log, '*', ...Array.from({ length: 3_000 }, (_, at) => `${at}`));
  await jobs.send(topic, numbers(2));
  await jobs.start(summing(topic, () => undefined, results));
  await until('the next', () => results.length === 1);
  const [[, letter] = []] = await jobs.redis.xrange(`${log}:dlq`, '-', '+');
  expect(letter?.filter((_field, at) => at % 2 === 0)).toEqual([...'ogntre', 'foreign']);
  await expect(jobs.mq.deadLetters(topic).count()).resolves.toMatchObject({ total: 1 });
});

describe('onPoison', () => {
  test('halt: the job ends and says why, and the record is the next one for whoever starts it again', async () => {
    const topic = await jobs.topic();
    const results: number[] = [];
    let broken = true;
    const define = summing(
      topic,
      (value) => {
        if (value === 2 && broken) throw new RsError('RS_INVALID_VALUE', 'no 2');
      },
      results,
    );
    await jobs.send(topic, numbers(1, 2, 3));
    const { client } = await jobs.start(define, { onPoison: 'halt' });
    await expect(client.awaitTermination()).rejects.toThrow(/no 2/);
    expect(client.health()).toMatchObject({ ok: false, reasons: [expect.stringContaining('no 2')] });
    expect(results).toEqual([1]);
    broken = false;
    await jobs.start(define, { onPoison: 'halt' });
    await until('the rest', () => results.length === 3);
    expect(results).toEqual([1, 3, 6]);
  });

  test('RETRY: it is tried for ever, and the partition waits', async () => {
    const topic = await jobs.topic();
    const results: number[] = [];
    let attempts = 0;
    const define = summing(
      topic,
      (value) => {
        if (value === 2 && ++attempts < 10) throw new RangeError('not yet');
      },
      results,
    );
    await jobs.send(topic, numbers(1, 2, 3));
    await jobs.start(define, { processingErrorResult: 'RETRY' });
    await until('all', () => results.length === 3);
    expect(attempts).toBe(10);
    expect(results).toEqual([1, 3, 6]);
  });
});

test('a timer that goes on failing is given up alone: the records that made it due are not to blame', async () => {
  const topic = await jobs.topic();
  const results: string[] = [];
  await jobs.start((env) => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .keyBy((value) => (value % 2 === 0 ? 'even' : 'odd'))
      .process<string>({
        processElement(_key, value, ctx, out) {
          if (value < 10) ctx.registerEventTimeTimer(value + 5);
          out.collect(`record ${value}`);
        },
        onEventTime(time, key, _ctx, out) {
          if (key === 'even') throw new RangeError('no even timers');
          out.collect(`timer ${time} ${key}`);
        },
      })
      .addSink((result) => void results.push(result));
  });
  await jobs.send(topic, numbers(1, 2, 20, 21));
  await until('all records', () => results.length === 5);
  expect(results).toEqual(['record 1', 'record 2', 'timer 6 odd', 'record 20', 'record 21']);
  const [letter, ...others] = await deadLetters(topic);
  expect(others).toEqual([]);
  await expect(letter?.decode()).resolves.toMatchObject({ value: { timer: { kind: 'event', time: 7 } } });
});

test('timers that fire while a record waits for its next attempt do not begin its attempts anew', async () => {
  const topic = await jobs.topic();
  let attempts = 0;
  let ticks = 0;
  await jobs.start(
    (env) => {
      env
        .fromTopic(numbersOf(topic), 'g')
        .keyBy(() => 'all')
        .process<number>({
          processElement(_key, value, ctx) {
            if (value === 1) ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 1);
            else if (++attempts > 0) throw new RangeError('never');
          },
          onProcessingTime(time, _key, ctx) {
            ticks++;
            ctx.registerProcessingTimeTimer(time + 1);
          },
        })
        .addSink(() => undefined);
    },
    { retry: { attempts: 4, initialBackoff: 20, maxBackoff: 20 } },
  );
  await jobs.send(topic, numbers(1));
  await until('the clock ticks', () => ticks > 3);
  await jobs.send(topic, numbers(2));
  await until('it is given up', async () => (await deadLetters(topic)).length === 1);
  expect(attempts).toBe(4);
  const then = ticks;
  await until('the clock goes on', () => ticks > then);
});
