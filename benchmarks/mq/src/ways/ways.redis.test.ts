import { useRedis } from '@rs/redis-server/jest';
import { describe, expect, test } from '@jest/globals';
import { connect } from './connect.ts';
import type { Place } from './way.ts';
import { WAYS, type WayName } from './ways.ts';
import { Tasks } from '../worker/tasks.ts';

const redis = useRedis({ own: true });
const ORDERS = 2_000;

async function emptyPlace(partitions: number): Promise<Place> {
  const { host, port } = redis();
  const connection = await connect({ host, port });
  await connection.flushall();
  await connection.quit();
  return { host, port, partitions };
}

describe.each(Object.keys(WAYS) as WayName[])('%s', (name) => {
  test.each([1, 8])('carries all orders that are sent in batches, %i partitions', async (partitions) => {
    const place = await emptyPlace(partitions);
    const [producer, consumer] = [new Tasks(WAYS[name]), new Tasks(WAYS[name])];
    await producer.prepare(place);
    const sending = { until: { orders: ORDERS }, inFlight: 4 };
    const { sent } = await producer.send({ place, batch: 256, sending });
    expect(sent.orders).toBe(ORDERS);
    expect(await producer.stored(place)).toBe(ORDERS);

    await consumer.openReceiver({ place, timed: false });
    const { endedAt } = await consumer.receive(ORDERS);
    expect(endedAt).toBeGreaterThan(sent.endedAt);
  });

  test('carries all orders that are sent one by one, while they are read', async () => {
    const place = await emptyPlace(8);
    const [producer, consumer] = [new Tasks(WAYS[name]), new Tasks(WAYS[name])];
    await producer.prepare(place);
    await consumer.openReceiver({ place, timed: true });
    const sending = { until: { orders: 500 }, inFlight: 100 };
    await producer.send({ place, batch: 1, sending });
    expect(await consumer.receiveTimed(500)).toHaveLength(500);
  });
});

test('what is missing fails the run', async () => {
  const place = await emptyPlace(1);
  const tasks = new Tasks(WAYS.script);
  await tasks.prepare(place);
  await tasks.send({ place, batch: 10, sending: { until: { orders: 10 }, inFlight: 1 } });
  await tasks.openReceiver({ place, timed: false });
  await expect(tasks.receive(9)).rejects.toThrow('9 orders were sent and 10 came');
});
