import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { systemTimers } from '../time/timers.ts';
import { Door, until } from '../test-support/until.ts';
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

const LOOKING = new Set(['info', 'hello', 'client|setinfo', 'client|setname', 'ping', 'select']);

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

/** What clients have sent: everything else is done by scripts. */
const SENT = ['evalsha', 'xread', 'client|id'];

test('MQ-31: 10,000 messages cost at most 1.1 commands each to send, and 0.1 each to handle', async () => {
  const topic = await bench.topic(4);
  const mq = bench.mq();
  const producer = mq.producer();
  const messages = Array.from({ length: MESSAGES }, (_, value) => ({ value, key: `k${value % 100}` }));
  const sending = await countedDuring(() => producer.sendBatch(topic, messages));
  expect(sending.byName('xadd')).toBe(MESSAGES);
  expect(sending.all / MESSAGES).toBeLessThanOrEqual(1.1);

  const handle = async (group: string, options: ConsumerSubscriptionOptions) => {
    let handled = 0;
    const consumer = mq.consumer({ group });
    consumer.subscribe(
      topic,
      async () => {
        handled++;
      },
      options,
    );
    return countedDuring(async () => {
      await consumer.start();
      await until('all to be handled', () => handled === MESSAGES, 30_000);
      await consumer.close();
    });
  };
  // All that the server does, that of scripts included.
  const usual = await handle('usual', {});
  expect(usual.all / MESSAGES).toBeLessThanOrEqual(0.1);
  // With smaller batches, all that the client does: its commands are what costs it time.
  const small = await handle('small', { batchCount: 64 });
  expect(SENT.reduce((sum, name) => sum + small.byName(name), 0) / MESSAGES).toBeLessThanOrEqual(0.05);
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

test('a partition that its owner cannot give up yet is asked for a few times a second, however long that takes', async () => {
  const topic = await bench.topic(2);
  const door = new Door();
  const options = { group: 'g', rebalanceInterval: 100 };
  const owner = bench.mq().consumer(options);
  owner.subscribe(topic, () => door.opened);
  await owner.start();
  await bench
    .mq()
    .producer()
    .sendBatch(
      topic,
      [0, 1].map((partition) => ({ value: 1, partition })),
    );
  await until('both handlers', () => owner.status().partitions.every(({ handling }) => handling === 1));
  const waiting = bench.mq().consumer(options);
  waiting.subscribe(topic, () => undefined);
  await waiting.start();
  const second = async () => {
    const end = systemTimers.monotonic() + 1_000;
    await until('a second to pass', () => systemTimers.monotonic() >= end);
  };
  await second();
  await second();
  const { byName } = await countedDuring(second);
  // Who acquires looks at one hash; so does who meets the group, and lists the members.
  const asked = byName('hmget') - byName('hgetall');
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(20);
  door.open();
  await until('one of them to be given up', () => waiting.status().partitions.length === 1);
});
