import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { systemTimers } from '../time/timers.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

// Other clients would be counted too.
const redis = useRedis({ own: true });
const bench = useMq(redis);

/** Calls by command since the server started, those of scripts included; without what looking costs. */
async function commands(): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  const stats = String(await redis().cli('INFO', 'commandstats'));
  for (const [, name = '', count] of stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)) {
    if (!LOOKING.has(name)) calls.set(name, Number(count));
  }
  return calls;
}

const LOOKING = new Set(['info', 'hello', 'client|setinfo', 'xpending', 'ping']);

async function countedDuring(
  work: () => Promise<unknown>,
): Promise<{ all: number; byName: (name: string) => number }> {
  const before = await commands();
  await work();
  const after = await commands();
  const byName = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  return { all: [...after.keys()].reduce((sum, name) => sum + byName(name), 0), byName };
}

const MESSAGES = 10_000;

test('MQ-31: 10,000 messages cost at most 1.1 commands each to send and 0.1 each to handle', async () => {
  const topic = await bench.topic(4);
  const mq = bench.mq();
  const producer = mq.producer();
  const messages = Array.from({ length: MESSAGES }, (_, value) => ({ value, key: `k${value % 100}` }));
  const sending = await countedDuring(() => producer.sendBatch(topic, messages));
  expect(sending.byName('xadd')).toBe(MESSAGES);
  expect(sending.all / MESSAGES).toBeLessThanOrEqual(1.1);

  let handled = 0;
  const consumer = mq.consumer({ group: 'g' });
  consumer.subscribe(
    topic,
    async () => {
      handled++;
    },
    { batchCount: 64 },
  );
  const handling = await countedDuring(async () => {
    await consumer.start();
    await until('all to be handled', () => handled === MESSAGES, 30_000);
    await until('all to be settled', async () => {
      const pending = await Promise.all(
        [0, 1, 2, 3].map((partition) => bench.pending(topic, 'g', partition)),
      );
      return pending.every((count) => count === 0);
    });
  });
  expect(handling.all / MESSAGES).toBeLessThanOrEqual(0.1);
});

test('MQ-31: an idle consumer with the default options sends at most 200 commands a minute', async () => {
  const topic = await bench.topic(4);
  const consumer = bench.mq().consumer({ group: 'g' });
  consumer.subscribe(topic, () => undefined);
  await consumer.start();
  const SECONDS = 4;
  const idle = await countedDuring(async () => {
    const end = systemTimers.monotonic() + SECONDS * 1_000;
    await until('some time to pass', () => systemTimers.monotonic() >= end);
  });
  const sent =
    idle.byName('evalsha') + idle.byName('xread') + idle.byName('xreadgroup') + idle.byName('exists');
  expect(sent).toBeGreaterThan(0);
  expect((sent * 60) / SECONDS).toBeLessThanOrEqual(200);
});
