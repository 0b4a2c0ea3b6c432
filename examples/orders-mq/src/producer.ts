import { setInterval } from 'node:timers/promises';
import { createMq } from '@rs/mq';
import { Redis } from 'ioredis';
import { jsonLines } from './log.ts';
import { type NewOrder, orders } from './orders.ts';
import { settingsOf } from './settings.ts';
import { loadOrders } from './shop-data.ts';

const PAUSE_MS = 20;

const { redisUrl, prefix, orders: count, seconds, seed } = settingsOf(process.env);
const logger = jsonLines();
const mq = createMq({ redis: new Redis(redisUrl, { lazyConnect: true }), prefix, logger });
const producer = mq.producer();
try {
  const all = await loadOrders(count);
  const portion = Math.ceil((count * PAUSE_MS) / (seconds * 1_000));
  let sent = 0;
  for await (const _ of setInterval(PAUSE_MS)) {
    // Orders of one customer keep their order: they come to one partition.
    const messages = all
      .slice(sent, sent + portion)
      .map((value) => ({ key: value.customer, value, timestamp: Date.parse(value.placed) }));
    const good = messages.filter((_, i) => !isFromOldShop(sent + i));
    const bad = messages.filter((_, i) => isFromOldShop(sent + i));
    await producer.sendBatch(orders, good);
    for (const { key, value } of bad) await producer.send(orders.name, { key, value: asOldShop(value) });
    sent += messages.length;
    logger.info({ sent }, 'sent');
    if (sent === count) break;
  }
} finally {
  await mq.close();
}

/** One in a thousand comes from a program that is older than the schema: it names the topic, so that nothing is checked. */
function isFromOldShop(n: number): boolean {
  const period = Math.min(count, 1_000);
  return n % period === seed % period;
}

function asOldShop({ placed, ...order }: NewOrder): unknown {
  return { ...order, placed: new Date(placed).toLocaleDateString('en-US') };
}
