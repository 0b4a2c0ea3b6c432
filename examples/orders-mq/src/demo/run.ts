import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@rs/core';
import { createMq } from '@rs/mq';
import { Books } from '../books.ts';
import { orders } from '../orders.ts';
import { causesOf } from './causes.ts';
import { Crew } from './crew.ts';
import { DemoFailure } from './failure.ts';
import { type Kill, killOne, takeoverOf } from './kill.ts';
import { formatCountOf, formatPartitions } from './format.ts';
import type { Options } from './options.ts';
import type { Program } from './program.ts';
import type { Progress } from './progress.ts';
import type { Results } from './results.ts';
import { type ShopRedis, openRedis } from './shop-redis.ts';

export interface RunOptions extends Omit<Options, 'json'> {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

const POLL_MS = 25;
const SENDING_SECONDS = 4;
/** The share of the orders that is handled when a worker is killed. */
const KILL_AT = 0.4;
/** How long nothing may move at all until it is taken for a failure. */
const STANDSTILL_MS = 60_000;

/**
 * Starts the programs, kills a worker midway, and counts when everything is handled.
 *
 * @returns the results; `undefined` when it was interrupted
 * @throws DemoFailure when there is no Redis, or a program has failed; RsError
 */
export async function run(options: RunOptions): Promise<Results | undefined> {
  const server = await openRedis(options.redis);
  const prefix = `shop-${randomBytes(6).toString('hex')}`;
  const crew = new Crew({
    REDIS_URL: server.url,
    SHOP_PREFIX: prefix,
    SHOP_ORDERS: String(options.orders),
    SHOP_SECONDS: String(SENDING_SECONDS),
    SHOP_SEED: String(options.seed),
  });
  try {
    return await runShop(options, { crew, server, prefix });
  } finally {
    await crew.stop();
    await server.close(prefix);
  }
}

interface Shop {
  readonly crew: Crew;
  readonly server: ShopRedis;
  readonly prefix: string;
}

async function runShop(
  options: RunOptions,
  { crew, server: { redis }, prefix }: Shop,
): Promise<Results | undefined> {
  const { partitions, progress, signal } = options;
  const books = new Books(redis, prefix);
  const mq = createMq({ redis, prefix });
  try {
    await mq.topics.ensure(orders, { partitions });
    const letters = mq.deadLetters(orders);
    const done = async (): Promise<number> => (await books.count()) + (await letters.count()).total;

    const startedAt = systemClock.now();
    const kill = await handleAll(options, crew, done);
    if (signal.aborted) return undefined;
    const seconds = Math.round(systemClock.now() - startedAt) / 1_000;
    progress.phase('everything is handled; closing the workers');
    await crew.stop();
    crew.check();

    const [handled, shares, dead] = [await books.count(), await books.shares(), await letters.count()];
    return {
      sent: crew.sent,
      handled,
      duplicates: shares.reduce((sum, { entries }) => sum + entries, 0) - handled,
      deadLetters: dead.total,
      seconds,
      kill,
      takeover: kill === undefined ? undefined : takeoverOf(kill, crew),
      retries: crew.retries,
      lostLeases: crew.lostLeases,
      turnover: await books.turnover(),
      shares,
      dead: dead.partitions,
      causes: await causesOf(letters),
    };
  } finally {
    await mq.close();
  }
}

/**
 * Ends when all that was sent is done, and when it is interrupted.
 *
 * @param countDone orders that are handled or dead
 * @throws DemoFailure when nothing has moved for long
 */
async function handleAll(
  { orders: expected, workers, progress, signal }: RunOptions,
  crew: Crew,
  countDone: () => Promise<number>,
): Promise<Kill | undefined> {
  progress.phase(`starting a producer and ${formatCountOf(workers, 'worker')}`);
  const team: readonly Program[] = Array.from({ length: workers }, () => crew.startWorker());
  const producer = crew.startProducer();
  let kill: Kill | undefined;
  let moved = { count: 0, at: systemClock.now() };
  while (!signal.aborted) {
    crew.check();
    const done = await countDone();
    progress.update(done);
    if (done + crew.sent > moved.count) moved = { count: done + crew.sent, at: systemClock.now() };
    if (systemClock.now() - moved.at > STANDSTILL_MS) {
      throw new DemoFailure(
        `nothing has moved for ${STANDSTILL_MS / 1_000} s: ${crew.sent} were sent, ${done} are handled or dead letters`,
      );
    }
    if (producer.finished && done >= crew.sent) break;
    if (kill === undefined && done >= expected * KILL_AT) {
      kill = await killOne(crew, team, done);
      const { name } = crew.startWorker();
      progress.phase(
        `killed ${kill.worker}, which had ${formatPartitions(kill.partitions)}; started ${name}`,
      );
    }
    await delay(POLL_MS);
  }
  return kill;
}
