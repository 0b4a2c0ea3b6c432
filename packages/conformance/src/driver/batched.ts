import { defineJob, type Message, silentLogger } from '@rs/core';
import { TestDriver } from '@rs/runtime-memory/testing';
import { Collector } from '../collector.ts';
import type { Driver } from '../driver.ts';
import type { Outcome } from '../outcome.ts';
import type { Variant } from '../variant.ts';

/** The model of an engine that stores state: tasks that commit after every batch of so many records. */
export function batched(batchSize: number): Driver {
  return {
    name: `batches ${batchSize}`,
    supports: () => true,
    run: (variant, signal) =>
      inDriver(variant, { batchSize, signal }, async (driver) => {
        await send(driver, variant.messages);
      }),
  };
}

/** So few that also a short input has been committed in part when the process dies, and in part not. */
const SMALL_BATCH = 2;

/** The same with small batches, a crash, a restart and a change of owners in the middle. */
export const batchedWithFaults: Driver = {
  name: 'batches crash',
  supports: () => true,
  run: (variant, signal) =>
    inDriver(variant, { batchSize: SMALL_BATCH, signal }, async (driver) => {
      const [first, second, third] = inThirds(variant.messages);
      await send(driver, first);
      await driver.crash();
      await send(driver, second);
      await driver.restart();
      await driver.rebalance();
      await send(driver, third);
    }),
};

async function inDriver(
  variant: Variant,
  { batchSize, signal }: { readonly batchSize: number; readonly signal: AbortSignal },
  feed: (driver: TestDriver) => Promise<void>,
): Promise<Outcome> {
  const { topics, settings, define } = variant;
  const collector = new Collector();
  const job = defineJob((env) => define(env, collector.sinkTo()));
  await using driver = TestDriver.of(job, {
    ...settings,
    topics,
    batchSize,
    processingTime: 'records',
    logger: silentLogger,
  });
  signal.addEventListener('abort', () => void driver.close());
  await feed(driver);
  await driver.end();
  const sinks = Object.keys(collector.sinks).map((name) => [name, driver.outputs(name)] as const);
  return { sinks: Object.fromEntries(sinks), late: driver.lateRecords() };
}

/** Sends messages in their order, those of one topic that follow each other at once. */
async function send(driver: TestDriver, messages: readonly Message<unknown>[]): Promise<void> {
  for (let start = 0; start < messages.length;) {
    const topic = (messages[start] as Message<unknown>).topic;
    const next = messages.findIndex((message, index) => index > start && message.topic !== topic);
    const end = next === -1 ? messages.length : next;
    await driver.send(topic, messages.slice(start, end));
    start = end;
  }
}

type Thirds = readonly [
  readonly Message<unknown>[],
  readonly Message<unknown>[],
  readonly Message<unknown>[],
];

/**
 * Three parts of the input, each with a third of every partition, in their order. So every partition has something from the
 * first part on, as it has in a run that finds all messages there.
 */
function inThirds(messages: readonly Message<unknown>[]): Thirds {
  const partitions = new Map<string, Message<unknown>[]>();
  for (const message of messages) {
    const name = `${message.topic} ${message.partition}`;
    partitions.set(name, [...(partitions.get(name) ?? []), message]);
  }
  const thirdOf = new Map<Message<unknown>, number>();
  for (const own of partitions.values())
    own.forEach((message, index) => thirdOf.set(message, Math.floor((index * 3) / own.length)));
  const part = (third: number) => messages.filter((message) => thirdOf.get(message) === third);
  return [part(0), part(1), part(2)];
}
