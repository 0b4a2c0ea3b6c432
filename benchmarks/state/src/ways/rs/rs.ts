import { createMq, type NewMessage } from '@rs/mq';
import { RedisStreamExecutionEnvironment } from '@rs/runtime-redis';
import type { Redis } from 'ioredis';
import { type Payment, payments } from '../../load/payment.ts';
import type { Sums } from '../../load/work.ts';
import { CountingRedis } from '../counting-redis.ts';
import { removeKeys } from '../remove-keys.ts';
import type { Filling, Job, Way } from '../way.ts';
import { errorsOnly } from './errors-only.ts';
import { jobOf, PAYMENTS, SINK } from './job.ts';

const BATCH = 1_000;
const IN_FLIGHT = 8;

/** A job on `@rs/runtime-redis` with the defaults of all options. */
export const rs: Way = {
  fill,
  work: async (job) => {
    const redis = CountingRedis.connectTo(job);
    const { prefix } = job;
    const name = nameOf(job);
    const config = { jobName: name, prefix, logger: errorsOnly };
    const env = RedisStreamExecutionEnvironment.create(redis, config);
    const client = await env.run(jobOf(job.work, name));
    try {
      await client.awaitTermination();
    } finally {
      await client.close();
    }
    return redis.calls;
  },
  sums: async (job) => {
    const redis = CountingRedis.connectTo(job);
    const sums = job.work.kind === 'sum' ? await stateOf(redis, job) : await resultsOf(redis, job);
    await redis.quit();
    return sums;
  },
  clear: async (job) => {
    const redis = CountingRedis.connectTo(job);
    const name = nameOf(job);
    await removeKeys(redis, `${job.prefix}:*${name}*`);
    for (let partition = 0; partition < job.partitions; partition++) {
      const log = `${job.prefix}:{${PAYMENTS.name}#${partition}}:p${partition}`;
      await redis.xgroup('DESTROY', log, name);
      await redis.del(`${log}:holds`);
    }
    await redis.quit();
  },
};

/** Name of the job and of its group: no other one's begins with it. */
function nameOf({ run }: Job): string {
  return `pass-${String(run).padStart(4, '0')}`;
}

async function fill({ host, port, partitions, prefix, work, records }: Filling): Promise<void> {
  const mq = createMq({ redis: CountingRedis.connectTo({ host, port }), prefix });
  await mq.topics.ensure(PAYMENTS, { partitions });
  const producer = mq.producer();
  const sending: Promise<unknown>[] = [];
  let batch: NewMessage<Payment>[] = [];
  const send = (): void => {
    sending.push(producer.sendBatch(PAYMENTS, batch));
    batch = [];
  };
  for (const value of payments(records, work.customers)) {
    batch.push({ key: value.customer, value, timestamp: value.at });
    if (batch.length === BATCH) send();
    if (sending.length === IN_FLIGHT) await Promise.all(sending.splice(0));
  }
  send();
  await Promise.all(sending);
  await mq.close();
}

/** What stands in the hashes of the state, without the engine that wrote it. */
async function stateOf(redis: Redis, job: Job): Promise<Sums> {
  const sums = new Map<string, number>();
  await eachField(redis, `${job.prefix}:*:t:${nameOf(job)}:*:s:*`, (field, value) => {
    const [customer] = /customer-\d{7}/.exec(field) ?? [''];
    sums.set(customer, Number(value.slice(value.indexOf('|') + 1)));
  });
  return sums;
}

async function resultsOf(redis: Redis, job: Job): Promise<Sums> {
  const sums = new Map<string, number>();
  await eachField(redis, `${job.prefix}:*:k:${nameOf(job)}:${SINK}`, (name, sum) => {
    sums.set(name, Number(sum));
  });
  return sums;
}

async function eachField(
  redis: Redis,
  match: string,
  take: (field: string, value: string) => void,
): Promise<void> {
  const pages = redis.scanStream({ match, type: 'hash', count: 1_000 }) as AsyncIterable<string[]>;
  const seen = new Set<string>();
  for await (const keys of pages) {
    for (const key of keys) {
      if (seen.has(key)) continue;
      seen.add(key);
      for (const [field, value] of Object.entries(await redis.hgetall(key))) take(field, value);
    }
  }
}
