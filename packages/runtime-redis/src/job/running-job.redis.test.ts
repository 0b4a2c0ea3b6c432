import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, test } from '@jest/globals';
import { defineJob, DIAGNOSTICS_CHANNELS, RsError } from '@rs/core';
import { systemTimers } from '@rs/mq';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import { resolveSettings } from '../options/resolve.ts';
import { TaskKeys } from '../keys/task-keys.ts';
import { redisTaskLeases } from '../store/task-leases.ts';
import { coded } from '../test-support/coded.ts';
import { Told } from '../test-support/told-runner.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';
import type { RedisJobClient } from './client.ts';
import type { MakeJobEngine } from './job-engine.ts';

const server = useRedis();
const jobs = useJobs(server);

interface Started {
  readonly client: RedisJobClient;
  readonly runners: readonly Told[];
  /** Whether what the tasks share was closed. */
  readonly closed: () => boolean;
}

const open: RedisJobClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.cancel({ timeout: 100 })));
});

async function start({ partitions = 2, closes = true, closeTimeout = 1_000 } = {}): Promise<Started> {
  const topic = await jobs.topic(partitions);
  const runners: Told[] = [];
  let closed = false;
  const makeEngine: MakeJobEngine = ({ client }) => {
    const leases = redisTaskLeases(client);
    return {
      leases,
      makeRunner: (options) => {
        const runner = new Told(options, (lease) => leases.release(lease));
        runners.push(runner);
        return runner;
      },
      check: () => Promise.resolve(),
      deafness: () => undefined,
      unreplicated: () => undefined,
      close: () => {
        closed = true;
        return closes ? Promise.resolve() : new Promise(() => undefined);
      },
    };
  };
  const settings = resolveSettings({
    jobName: jobs.jobName,
    prefix: jobs.prefix,
    lease: 1_000,
    closeTimeout,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  const redis = new Redis(server().url, { lazyConnect: true });
  const client = await RedisStreamExecutionEnvironment.with(redis, settings, makeEngine).run(
    defineJob((env) => env.fromMqTopicWithId('source', topic, 'g').addSink(ignore, { uid: 'sink' })),
  );
  open.push(client);
  return { client, runners, closed: () => closed };
}

function ignore(): undefined {
  return undefined;
}

describe('ready', () => {
  test('when each partition has an owner and ours have been opened', async () => {
    const { client, runners } = await start();
    const [first] = runners;
    if (first === undefined) throw new Error('there is no task');
    first.state = 'opening';
    let ready = false;
    const waiting = client.ready().then(() => {
      ready = true;
    });
    await until('both are there', () => runners.length === 2 && client.health().ok);
    expect(ready).toBe(false);
    first.state = 'running';
    await waiting;
  });

  test('not any more when it was stopped, and not for longer than the signal allows', async () => {
    const { client, runners } = await start();
    for (const runner of runners) runner.state = 'opening';
    const controller = new AbortController();
    const waiting = client.ready({ signal: controller.signal });
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    const stopped = client.ready();
    await Promise.all([expect(stopped).rejects.toEqual(coded('RS_CLOSED')), client.cancel()]);
  });
});

describe('stopping', () => {
  test('cancel undoes, gives everything back and closes what is shared', async () => {
    const { client, runners, closed } = await start();
    await client.ready();
    expect(await client.cancel()).toEqual({ unreleased: 0, drained: false });
    expect(runners.map(({ told }) => told)).toEqual([['stop'], ['stop']]);
    expect([closed(), client.state, await client.awaitTermination(0)]).toEqual([true, 'cancelled', true]);
    expect(await client.close()).toEqual({ unreleased: 0, drained: false });
    await client[Symbol.asyncDispose]();
  });

  test('stop drains', async () => {
    const { client, runners } = await start();
    await client.ready();
    expect(await client.stop()).toEqual({ unreleased: 0, drained: true });
    expect(runners.map(({ told }) => told)).toEqual([['drain'], ['drain']]);
  });

  test('what does not drain in its time is undone, within the time', async () => {
    const { client, runners } = await start();
    await client.ready();
    for (const runner of runners) runner.onStop = (drain) => drain || void runner.end({ type: 'released' });
    expect(await client.stop({ timeout: 300 })).toEqual({ unreleased: 0, drained: false });
    expect(runners.map(({ told }) => told)).toEqual([
      ['drain', 'stop'],
      ['drain', 'stop'],
    ]);
  });

  test('cancel cuts a drain short', async () => {
    const { client, runners } = await start();
    await client.ready();
    for (const runner of runners) runner.onStop = (drain) => drain || void runner.end({ type: 'released' });
    const stopping = client.stop({ timeout: '1m' });
    expect(client.state).toBe('stopping');
    await client.cancel();
    expect(await stopping).toEqual({ unreleased: 0, drained: false });
  });

  test('neither tasks nor sinks that do not end can hold it up', async () => {
    const { client, runners } = await start({ closes: false });
    await client.ready();
    for (const runner of runners) runner.onStop = ignore;
    const begun = systemTimers.monotonic();
    expect(await client.cancel({ timeout: 200 })).toEqual({ unreleased: 0, drained: false });
    expect(systemTimers.monotonic() - begun).toBeLessThan(1_500);
    expect(client.state).toBe('cancelled');
    // Nobody has to wait for the end of a lease.
    const [{ place } = { place: undefined }] = runners;
    if (place === undefined) throw new Error('there is no task');
    expect(await jobs.redis.hget(new TaskKeys(place).own, 'token')).toBeNull();
  });

  test.each([
    ['nothing was left', 0, {}, true],
    ['what was read was not processed', 1, {}, false],
    ['what was made was not delivered', 0, { sink: 1 }, false],
  ])('cancel tells whether %s', async (_, inFlight, undelivered, drained) => {
    const { client, runners } = await start();
    await client.ready();
    for (const runner of runners) runner.inFlight = 0;
    for (const runner of runners.slice(0, 1)) Object.assign(runner, { inFlight, undelivered });
    expect(await client.close()).toEqual({ unreleased: 0, drained });
  });

  test('a signal that is aborted already keeps no job from stopping', async () => {
    const { client } = await start();
    await client.ready();
    await expect(client.stop({ signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    expect(await client.awaitTermination('5s')).toBe(true);
    expect(client.state).toBe('cancelled');
  });

  test('a signal ends the waiting for a stop, and stopping goes on', async () => {
    const { client, runners } = await start();
    await client.ready();
    for (const runner of runners) runner.onStop = ignore;
    const controller = new AbortController();
    const stopping = client.stop({ signal: controller.signal, timeout: '1m' });
    controller.abort('enough');
    await expect(stopping).rejects.toBe('enough');
    await Promise.all(runners.map((runner) => runner.end({ type: 'released' })));
    expect(await client.awaitTermination('5s')).toBe(true);
  });

  test.each([[{ timeout: -1 }], [{ timeuot: 1 }], [null]])('%j is refused', async (options) => {
    const { client } = await start();
    await expect(client.cancel(options as never)).rejects.toThrow(/^cancel: /);
    await expect(client.close(options as never)).rejects.toThrow(/^close: /);
    await expect(client.stop(options as never)).rejects.toThrow(/^stop: /);
    expect(client.state).toBe('running');
  });
});

test('a task that cannot go on ends the job in this process, with its error', async () => {
  const { client, runners } = await start();
  await client.ready();
  const failure = new RsError('RS_INVALID_VALUE', 'poison');
  const terminated = client.awaitTermination();
  await runners[0]?.end({ type: 'failed', error: failure });
  await expect(terminated).rejects.toBe(failure);
  expect(client.state).toBe('failed');
  expect(client.health()).toEqual({ ok: false, reasons: ['the job has failed: poison'] });
  expect(client.diagnostics()).toMatchObject({ state: 'failed', error: failure, runnerCount: 0 });
  expect(JSON.parse(JSON.stringify(client.diagnostics()))).toMatchObject({
    error: { code: 'RS_INVALID_VALUE', message: 'poison' },
  });
  await expect(client.ready()).rejects.toBe(failure);
  expect(runners[1]?.told).toEqual(['stop']);
});

test('awaitTermination says whether the job has ended in time', async () => {
  const { client } = await start();
  expect(await client.awaitTermination('10ms')).toBe(false);
  await expect(client.awaitTermination({ signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
  await expect(client.awaitTermination('soon' as never)).rejects.toEqual(coded('RS_INVALID_DURATION'));
});

test('pause and resume are told to all tasks', async () => {
  const { client, runners } = await start();
  await client.ready();
  client.pause();
  expect(client.state).toBe('paused');
  client.resume();
  expect(client.state).toBe('running');
  expect(runners.map(({ told }) => told)).toEqual([
    ['pause', 'resume'],
    ['pause', 'resume'],
  ]);
  await client.cancel();
  client.pause();
  expect(client.state).toBe('cancelled');
});

test('diagnostics', async () => {
  const { client } = await start();
  await client.ready();
  const { jobInstanceId } = client;
  expect(client.inFlight()).toBe(6);
  expect(client.diagnostics()).toMatchObject({
    jobName: client.jobName,
    jobInstanceId,
    state: 'running',
    error: undefined,
    health: { ok: true, reasons: [] },
    members: [jobInstanceId],
    pipelineParallelism: Infinity,
    liveParallelism: 2,
    inFlight: 6,
    runnerCount: 2,
    pipelines: [{ source: 'source', consumerGroup: 'g', partitions: 2, owned: [0, 1], ended: [] }],
    tasks: [{ partition: 0 }, { partition: 1 }],
  });
});

test('tells the diagnostics channels what happens', async () => {
  const told: (readonly [string, unknown])[] = [];
  const names = ['jobStarted', 'jobFinished', 'taskAcquired', 'taskReleased'] as const;
  const listeners = names.map((name) => {
    const listener = (message: unknown): void => void told.push([name, message]);
    subscribe(DIAGNOSTICS_CHANNELS[name], listener);
    return [DIAGNOSTICS_CHANNELS[name], listener] as const;
  });
  const { client } = await start({ partitions: 1 });
  await client.ready();
  await client.cancel();
  for (const [name, listener] of listeners) unsubscribe(name, listener);
  const job = { engine: 'redis', name: client.jobName, member: client.jobInstanceId };
  const task = { job: client.jobName, task: 'source', partition: 0 };
  expect(told).toEqual([
    ['jobStarted', { job, operators: ['source', 'source.time', 'sink'] }],
    ['taskAcquired', expect.objectContaining({ ...task, epoch: 1, crashes: 0, offset: '0-0' })],
    ['taskReleased', expect.objectContaining(task)],
    [
      'jobFinished',
      {
        job,
        status: 'cancelled',
        metrics: { lateRecords: 2, lateRecordsByOperator: { window: 2 } },
      },
    ],
  ]);
});
