import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DIAGNOSTICS_CHANNELS } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { type JobProcess, numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

let told: unknown[] = [];
const listen = (message: unknown): void => void told.push(message);
beforeEach(() => subscribe(DIAGNOSTICS_CHANNELS.messagesLost, listen));
afterEach(() => {
  unsubscribe(DIAGNOSTICS_CHANNELS.messagesLost, listen);
  told = [];
});

const logOf = (topic: string): string => `${jobs.prefix}:{${topic}#0}:p0`;
const idsOf = async (topic: string): Promise<string[]> =>
  (await jobs.redis.xrange(logOf(topic), '-', '+')).map(([id]) => id);

async function started(topic: string) {
  const got: number[] = [];
  const process = await jobs.start((env) => {
    env.fromTopic(numbersOf(topic), 'g').addSink((value) => void got.push(value), { uid: 'out' });
  });
  return { got, ...process };
}

const statusOf = ({ client }: Pick<JobProcess, 'client'>) => client.diagnostics().tasks[0];
const errors = () => jobs.log.filter(({ level }) => level === 'error');

describe('messages that were removed from the log before they were read', () => {
  test('while nobody worked on it are told by the next owner: partition, from where to where, how many', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, numbers(1, 2));
    const first = await started(topic);
    await until('both', () => first.got.length === 2);
    await first.client.stop();
    await jobs.send(topic, numbers(3, 4, 5, 6));
    const ids = await idsOf(topic);
    await jobs.redis.xtrim(logOf(topic), 'MAXLEN', 1);

    const second = await started(topic);
    await until('it is told', () => told.length === 1);
    await until('what is left', () => second.got.includes(6));
    const lost = { after: ids[1], before: ids[5], count: 3 };
    expect(told).toEqual([expect.objectContaining({ topic, partition: 0, group: 'g', ...lost })]);
    expect(errors()).toEqual([
      expect.objectContaining({
        message: `messages were removed before they were read; keep more of the topic (partition 0 of topic '${topic}')`,
        facts: expect.objectContaining({ topic, partition: 0, ...lost }),
      }),
    ]);
    expect(statusOf(second)).toMatchObject({ lostMessages: 3, lastLoss: { ...lost, deleted: false } });
    // It is over, and nothing is wrong with the job.
    expect(second.client.health()).toEqual({ ok: true, reasons: [] });

    // The next owner does not tell it again.
    await second.client.stop();
    const third = await started(topic);
    await jobs.send(topic, numbers(7));
    await until('the next one', () => third.got.includes(7));
    await third.client.stop();
    expect(told).toHaveLength(1);
  });

  test('with the whole log, while the job was paused', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, numbers(1));
    const job = await started(topic);
    await until('the first', () => job.got.length === 1);
    job.client.pause();
    await jobs.send(topic, numbers(2, 3));
    // A task that is paused looks every few seconds, and one that is given back at once.
    await jobs.redis.del(logOf(topic));
    await jobs.send(topic, numbers(4));
    await job.client.stop();
    const second = await started(topic);
    await until('it is told', () => told.length === 1);
    await until('what came then', () => second.got.includes(4));
    expect(statusOf(job)?.lastLoss ?? statusOf(second)?.lastLoss).toMatchObject({ deleted: true });
    expect(errors().map(({ message }) => message)).toEqual([
      expect.stringMatching(/the log was deleted or set back: what it had/),
    ]);
  });

  test('are no others than those: what is read and removed afterwards is nobody’s loss', async () => {
    const topic = await jobs.topic();
    const job = await started(topic);
    for (let round = 0; round < 20; round++) {
      await jobs.send(topic, numbers(...Array.from({ length: 50 }, (_, n) => round * 50 + n)));
      await until('all', () => job.got.length === (round + 1) * 50);
      await jobs.redis.xtrim(logOf(topic), 'MAXLEN', round % 3);
    }
    await job.client.stop();
    await (await started(topic)).client.stop();
    expect(told).toEqual([]);
  });
});
