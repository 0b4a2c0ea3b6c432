import { Redis } from 'ioredis';
import { connect } from '../connect.ts';
import { byHand, streamsOf } from './streams.ts';

/** A batch is a pipeline of XADDs, a single order an XADD. */
export const pipelines = byHand(async (place) => {
  const redis = await connect(place);
  const streams = streamsOf(place);
  let turn = 0;
  const next = (): string => streams[turn++ % streams.length] ?? '';
  return {
    sendBatch: async (orders) => {
      const pipeline = redis.pipeline();
      const stream = next();
      for (const order of orders) pipeline.xadd(stream, '*', 'd', JSON.stringify(order));
      const replies = (await pipeline.exec()) ?? [];
      for (const [error] of replies) if (error !== null) throw error;
    },
    send: (order) => redis.xadd(next(), '*', 'd', JSON.stringify(order)),
    close: async () => void (await redis.quit()),
  };
});

/** ioredis puts the XADDs of one turn of the event loop into a pipeline by itself. */
export const autoPipelining = byHand(async (place) => {
  const { host, port } = place;
  const redis = new Redis({ host, port, enableAutoPipelining: true, lazyConnect: true });
  await redis.connect();
  const streams = streamsOf(place);
  let turn = 0;
  const send = (json: string): Promise<unknown> =>
    redis.xadd(streams[turn++ % streams.length] ?? '', '*', 'd', json);
  return {
    sendBatch: (orders) => Promise.all(orders.map((order) => send(JSON.stringify(order)))),
    send: (order) => send(JSON.stringify(order)),
    close: async () => void (await redis.quit()),
  };
});
