import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test } from '@jest/globals';
import { DIAGNOSTICS_CHANNELS, type DiagnosticsChannelName } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { TumblingWindow } from '@rs/window';
import { events, eventsOf } from '../test-support/events.ts';
import { complaints, numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const { messageRetried, messageDead, recordDead, recordLate } = DIAGNOSTICS_CHANNELS;
const undo: (() => void)[] = [];

afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** What is published on a channel from now on. */
function heard(channel: DiagnosticsChannelName): unknown[] {
  const messages: unknown[] = [];
  const listen = (message: unknown): void => void messages.push(message);
  subscribe(channel, listen);
  undo.push(() => unsubscribe(channel, listen));
  return messages;
}

const idsOf = async (topic: string): Promise<string[]> =>
  (await jobs.redis.xrange(`${jobs.prefix}:{${topic}#0}:p0`, '-', '+')).map(([id]) => id);

test('a record that fails is told with each attempt that is followed by another, and as a dead letter with its last', async () => {
  const topic = await jobs.topic();
  const [retried, dead, deadMessages] = [heard(messageRetried), heard(recordDead), heard(messageDead)];
  await jobs.send(topic, numbers(1, 2, 3));
  const results: number[] = [];
  await jobs.start((env) => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .map((value) => {
        if (value === 2) throw new RangeError('never 2');
        return value;
      })
      .addSink((value) => void results.push(value));
  });
  await until('the others', () => results.length === 2);
  const [, id] = await idsOf(topic);
  const error = expect.objectContaining({ code: 'RS_USER_FUNCTION_FAILED' }) as unknown;
  const where = { job: jobs.jobName, topic, partition: 0, id, error };
  expect(retried).toEqual([
    expect.objectContaining({ ...where, group: 'g', failed: 1 }),
    expect.objectContaining({ ...where, group: 'g', failed: 2 }),
  ]);
  expect(dead).toEqual([{ ...where, task: expect.any(String) as unknown }]);
  expect(deadMessages).toEqual([expect.objectContaining({ ...where, group: 'g', reason: 'attempts' })]);
});

test('what cannot be read is a dead letter at once', async () => {
  const topic = await jobs.topic();
  const [retried, dead, deadMessages] = [heard(messageRetried), heard(recordDead), heard(messageDead)];
  await jobs.redis.xadd(`${jobs.prefix}:{${topic}#0}:p0`, '*', 'foreign', 'entry');
  await jobs.start((env) => {
    env.fromTopic(numbersOf(topic), 'g').addSink(() => undefined);
  });
  await until('it is told', () => deadMessages.length === 1);
  const [id] = await idsOf(topic);
  expect(dead).toEqual([expect.objectContaining({ id, topic })]);
  expect(deadMessages).toEqual([expect.objectContaining({ id, reason: 'undecodable' })]);
  expect(retried).toEqual([]);
});

test('a timer that is given up has no id, and is no message', async () => {
  const topic = await jobs.topic();
  const [retried, dead, deadMessages] = [heard(messageRetried), heard(recordDead), heard(messageDead)];
  await jobs.send(topic, numbers(1, 20));
  await jobs.start((env) => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .keyBy(() => 'all')
      .process<number>(
        {
          processElement(_key, value, ctx) {
            if (value === 1) ctx.registerEventTimeTimer(5);
          },
          onEventTime() {
            throw new RangeError('no timers');
          },
        },
        { uid: 'timers' },
      )
      .addSink(() => undefined, { uid: 'none' });
  });
  await until('it is told', () => dead.length === 1);
  expect(dead).toEqual([expect.objectContaining({ topic, partition: 0, id: undefined })]);
  const timer = `a timer of 'timers' (event time 5, key s:all)`;
  const place = `in partition 0 of topic '${topic}'`;
  expect(complaints(jobs.log)).toEqual([
    `${timer} has failed ${place}; it is tried again`,
    `${timer} has failed ${place}; it is tried again`,
    `${timer} became a dead letter ${place}`,
  ]);
  expect([...retried, ...deadMessages]).toEqual([]);
});

test('a sink that fails is in the log, and no record is said to be tried again', async () => {
  const topic = await jobs.topic();
  const retried = heard(messageRetried);
  await jobs.send(topic, numbers(1));
  const results: number[] = [];
  let failures = 0;
  await jobs.start((env) => {
    env.fromTopic(numbersOf(topic), 'g').addSink((value) => {
      if (++failures <= 3) throw new RangeError('not yet');
      results.push(value);
    });
  });
  await until('it is served', () => results.length === 1);
  expect(retried).toEqual([]);
  expect(jobs.log).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      facts: expect.objectContaining({
        topic,
        attempts: 3,
        error: expect.objectContaining({ code: 'RS_SINK_FAILED' }) as unknown,
      }) as unknown,
    }),
  );
});

test('each late record is told once, with what it was, also when its batch is undone and processed again', async () => {
  const topic = await jobs.topic();
  const late = heard(recordLate);
  await jobs.send(topic, events('a:1@5 a:2@25 b:3@7 c:4@8 a:5@26 a:6@45'));
  let results = 0;
  const { client } = await jobs.start((env) => {
    eventsOf(env, topic)
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(10))
      .sum(({ amount }) => amount, { uid: 'sums' })
      .map((result) => {
        // The second one comes of the last record: all that are late were processed by then.
        if (++results === 2) throw new RangeError('not yet');
        return result;
      })
      .addSink(() => undefined);
  });
  await until(
    'all is settled',
    async () => (await idsOf(topic)).at(-1) === client.diagnostics().tasks[0]?.offset,
  );
  expect(results).toBeGreaterThan(2);
  expect(late).toEqual([
    { operator: 'sums', key: 'b', value: { key: 'b', amount: 3, at: 7 }, timestamp: 7, watermark: 24 },
    { operator: 'sums', key: 'c', value: { key: 'c', amount: 4, at: 8 }, timestamp: 8, watermark: 24 },
  ]);
});
