import { expect, test } from '@jest/globals';
import { partitionOf, silentLogger } from '@rs/core';
import { TestDriver } from '@rs/runtime-memory/testing';
import { lastRecords, recordOf } from '../load/records.ts';
import type { ClockTimerResult, Count, LateRecord, TimerResult, WindowResult } from '../load/results.ts';
import { LOAD } from '../load/settings.ts';
import type { LogEntry } from '../redis/stored.ts';
import { jobOf } from '../workers/job.ts';
import { expectedOf } from './model.ts';

const RECORDS = 1_000;

/** The log that a producer would write. */
function logOf(seed: number): LogEntry[] {
  const records = Array.from({ length: RECORDS }, (_, at) => recordOf(seed, at + 1));
  return [...records, ...lastRecords(RECORDS)].map(({ n, key, time }) => ({
    ...{ partition: partitionOf(key, LOAD.partitions), id: `${n}-0`, key, n, time },
  }));
}

function ofPartition<T extends { readonly key: string }>(results: readonly T[], partition: number): T[] {
  return results.filter(({ key }) => partitionOf(key, LOAD.partitions) === partition);
}

test.each([1, 2])('the model and an engine make the same of a log, seed %i', async (seed) => {
  const job = jobOf({ seed, once: { pass: () => undefined }, deliver: () => undefined });
  const driver = TestDriver.of(job, {
    topics: { [LOAD.topic]: LOAD.partitions },
    batchSize: 7,
    watermarkOutOfOrderness: LOAD.outOfOrderness,
    logger: silentLogger,
  });
  const log = logOf(seed);
  const messages = log.map(({ key, n, time }) => ({ key, value: { n }, timestamp: time }));
  await driver.send(LOAD.topic, messages);
  await driver.flush();
  await driver.advanceTime('10s');
  const expected = expectedOf(seed, log);
  for (const { partition, ...results } of expected) {
    const of = <T extends { readonly key: string }>(sink: string): T[] =>
      ofPartition(driver.outputs<T>(sink), partition);
    expect(of<Count>('counts-hash')).toEqual(results.counts);
    expect(of<Count>('counts-topic')).toEqual(results.counts);
    expect(of<WindowResult>('windows-topic')).toEqual(results.windows);
    expect(of<LateRecord>('late-stream')).toEqual(results.late);
    expect(of<WindowResult>('sessions-stream')).toEqual(results.sessions);
    expect(of<TimerResult>('timers-stream')).toEqual(results.timers);
    const clocked = of<ClockTimerResult>('clock-timers-stream').flatMap(({ records }) => records);
    expect(clocked.sort((a, b) => a - b)).toEqual(results.clocked);
  }
  await driver.close();
});

test('the load has what it is to show: windows that fire again, late records, merged sessions, timers taken back', () => {
  const log = logOf(1);
  const expected = expectedOf(1, log);
  const all = <T>(of: (each: (typeof expected)[0]) => readonly T[]): readonly T[] => expected.flatMap(of);
  const windows = all((each) => each.windows);
  expect(windows.length).toBeGreaterThan(
    new Set(windows.map(({ key, start }) => `${key} ${start}`)).size + 5,
  );
  expect(all((each) => each.late).length).toBeGreaterThan(10);
  expect(all((each) => each.sessions).filter(({ records }) => records.length > 2).length).toBeGreaterThan(50);
  const timers = all((each) => each.timers).length;
  expect(timers).toBeGreaterThan(RECORDS * 0.8);
  expect(timers).toBeLessThan(RECORDS * 0.99);
});
