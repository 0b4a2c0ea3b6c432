import { connect } from '../connect.ts';
import { byHand, streamsOf } from './streams.ts';

const SCRIPT = `for at = 1, #ARGV do redis.call('XADD', KEYS[1], '*', 'd', ARGV[at]) end`;
const BATCH = 256;

interface Gathered {
  readonly json: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** One script call appends a whole batch; single orders of one turn of the event loop are gathered into batches. */
export const script = byHand(async (place) => {
  const redis = await connect(place);
  const sha1 = String(await redis.script('LOAD', SCRIPT));
  const streams = streamsOf(place);
  let turn = 0;
  const append = (json: readonly string[]): Promise<unknown> =>
    redis.evalsha(sha1, 1, streams[turn++ % streams.length] ?? '', ...json);

  let gathered: Gathered[] = [];
  const flush = (): void => {
    const all = gathered;
    gathered = [];
    for (let at = 0; at < all.length; at += BATCH) {
      const batch = all.slice(at, at + BATCH);
      append(batch.map(({ json }) => json)).then(
        () => {
          for (const { resolve } of batch) resolve();
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
  };

  return {
    sendBatch: (orders) => append(orders.map((order) => JSON.stringify(order))),
    send: (order) =>
      new Promise<void>((resolve, reject) => {
        if (gathered.length === 0) process.nextTick(flush);
        gathered.push({ json: JSON.stringify(order), resolve, reject });
      }),
    close: async () => void (await redis.quit()),
  };
});
