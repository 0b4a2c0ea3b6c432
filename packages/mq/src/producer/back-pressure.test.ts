import { beforeEach, describe, expect, test } from '@jest/globals';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';
import type { ProducerOptions } from './producer-options.ts';
import type { SendOptions } from './producer.ts';

const at0 = (value: unknown) => ({ value, partition: 0 });

/** A producer whose first batch is under way until `answer`. */
async function busy(options: ProducerOptions): Promise<Producing> {
  const producing = new Producing(options);
  await producing.producer.send('orders', at0('warm'));
  producing.broker.produced.length = 0;
  producing.broker.held = true;
  return producing;
}

const sentValues = ({ broker }: Producing) => broker.produced.map(({ values }) => values);

describe('a producer that is full', () => {
  test('accepts the next message when one is confirmed, in the order of the calls', async () => {
    const producing = await busy({ maxPending: 2, maxBatch: 1 });
    const { producer, broker } = producing;
    const done: number[] = [];
    const all = [1, 2, 3, 4, 5].map((value) =>
      producer.send('orders', at0(value)).then(() => done.push(value)),
    );
    const other = producer.send('orders', { value: 6, partition: 1 });
    await turn();
    // 1 is under way, 2 is accepted; the message to the other partition waits behind those before it.
    expect(sentValues(producing)).toEqual([['1']]);
    broker.answer();
    await turn();
    expect(sentValues(producing)).toEqual([['1'], ['2']]);
    expect(done).toEqual([1]);
    broker.held = false;
    broker.answer();
    await Promise.all([...all, other]);
    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(sentValues(producing).flat()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('counts bytes too, but takes a message of any size when it is empty', async () => {
    const producing = await busy({ maxPendingBytes: 100, maxBatch: 1 });
    const { producer, broker } = producing;
    const large = 'x'.repeat(200);
    const all = [large, 'a', 'b'].map((value) => producer.send('orders', at0(value)));
    await turn();
    expect(sentValues(producing)).toEqual([[`"${large}"`]]);
    broker.answer();
    await turn();
    expect(sentValues(producing).at(-1)).toEqual(['"a"']);
    broker.held = false;
    broker.answer();
    await Promise.all(all);
  });

  test('takes a batch that is larger than what may be pending bit by bit', async () => {
    const producing = await busy({ maxPending: 2 });
    const { producer, broker } = producing;
    const all = producer.sendBatch('orders', [1, 2, 3, 4, 5].map(at0));
    const behind = producer.send('orders', at0(6));
    await turn();
    expect(sentValues(producing)).toEqual([['1', '2']]);
    broker.held = false;
    broker.answer();
    expect((await all).map(({ id }) => id)).toHaveLength(5);
    await behind;
    expect(sentValues(producing)).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ]);
  });

  test('makes room when a batch fails', async () => {
    const producing = await busy({ maxPending: 1, deliveryTimeout: 100 });
    const { producer, broker, timers } = producing;
    broker.held = false;
    broker.fate = () => ({ executed: 'no' });
    const first = producer.send('orders', at0(1)).catch(() => 'failed');
    const second = producer.send('orders', at0(2));
    await timers.advance(99);
    broker.fate = () => ({ executed: 'yes' });
    broker.held = true;
    await timers.advance(1);
    broker.held = false;
    broker.answer();
    await turn();
    expect(await first).toBe('failed');
    await second;
    expect(producing.values(0)).toEqual(['"warm"', '2']);
  });
});

describe('a signal', () => {
  let stop: AbortController;
  let options: SendOptions;

  beforeEach(() => {
    stop = new AbortController();
    options = { signal: stop.signal };
  });

  test('takes back what waits for room, in a queue or for the topic, and nothing that is under way', async () => {
    const producing = await busy({ maxPending: 4, maxBatch: 2 });
    const { producer, broker } = producing;
    const underWay = producer.send('orders', at0(1), options);
    await turn();
    const queued = producer.send('orders', at0(2), options);
    const kept = producer.send('orders', at0(3));
    const partly = producer.sendBatch('orders', [at0(4), at0(5), at0(6)], options);
    const last = producer.send('orders', at0(7));
    const unknown = producer.send('nope', at0(8), options);
    const settled = Promise.allSettled([queued, partly, unknown]);
    stop.abort('enough');
    expect(await settled).toEqual(Array(3).fill({ status: 'rejected', reason: 'enough' }));
    broker.held = false;
    broker.answer();
    await Promise.all([underWay, kept, last]);
    expect(sentValues(producing)).toEqual([['1'], ['3'], ['7']]);
  });

  test('that is aborted already refuses at once, with its reason', async () => {
    const producing = await busy({});
    stop.abort('enough');
    await expect(producing.producer.send('orders', at0(1), options)).rejects.toBe('enough');
    await expect(producing.producer.sendBatch('orders', [at0(1)], options)).rejects.toBe('enough');
    await turn();
    expect(sentValues(producing)).toEqual([]);
  });

  test('of many messages is listened to once, and not any more when they are confirmed', async () => {
    const producing = await busy({});
    let listeners = 0;
    const { signal } = stop;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const sent = [1, 2, 3].map((value) => producing.producer.send('orders', at0(value), options));
    expect(listeners).toBe(1);
    producing.broker.held = false;
    await Promise.all(sent);
    expect(listeners).toBe(0);
    stop.abort();
    expect(producing.values(0)).toEqual(['"warm"', '1', '2', '3']);
  });
});
