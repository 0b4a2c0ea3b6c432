import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { rejectionOf } from '../test-support/coded.ts';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';

const lost = new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost', { details: { sent: true } });
const unsent = new RsError('RS_REDIS_CONNECTION_LOST', 'no connection', { details: { sent: false } });
const wrongType = new RsError('RS_REDIS_REPLY', 'WRONGTYPE Operation against a key');

const at0 = (value: unknown) => ({ value, partition: 0 });

describe('a lost reply', () => {
  test('doubles nothing: the same batch is sent again, and has the ids of the first time', async () => {
    const producing = new Producing();
    const { producer, broker, timers } = producing;
    let calls = 0;
    broker.fate = () => (calls++ < 2 ? { executed: 'yes', error: lost } : { executed: 'yes' });
    const sent = producer.sendBatch('orders', [at0(1), at0(2)]);
    await timers.advance(5_000);
    const receipts = await sent;
    expect(broker.produced.map(({ sequence, values }) => [sequence, values])).toEqual([
      [1, ['1', '2']],
      [1, ['1', '2']],
      [1, ['1', '2']],
    ]);
    expect(producing.values(0)).toEqual(['1', '2']);
    expect(broker.logs.get('rs:{orders#0}:p0')?.map(({ id }) => id)).toEqual(receipts.map(({ id }) => id));
  });

  test('keeps the order: what comes later waits', async () => {
    const producing = new Producing();
    const { producer, broker, timers } = producing;
    let calls = 0;
    broker.fate = () => (calls++ === 0 ? { executed: 'no', error: lost } : { executed: 'yes' });
    const first = producer.send('orders', at0(1));
    await turn();
    const second = producer.send('orders', at0(2));
    await turn();
    expect(broker.produced).toHaveLength(1);
    await timers.advance(5_000);
    await Promise.all([first, second]);
    expect(producing.values(0)).toEqual(['1', '2']);
  });
});

describe('a batch that is not confirmed in time', () => {
  test('is rejected with the cause, and said to be unknown; what comes later goes on', async () => {
    const producing = new Producing({ deliveryTimeout: '10s' });
    const { producer, broker, timers } = producing;
    broker.fate = () => ({ executed: 'no', error: lost });
    const sent = rejectionOf(producer.sendBatch('orders', [at0(1), at0(2)]), 'RS_REDIS_TIMEOUT');
    await timers.advance(9_999);
    broker.fate = () => ({ executed: 'late', error: lost });
    await timers.advance(1);
    const error = await sent;
    expect(error.details).toMatchObject({ receipts: [undefined, undefined], failed: [0, 1] });
    expect(error.cause).toMatchObject({
      message:
        "2 messages to topic 'orders', partition 0: they were not confirmed within the deliveryTimeout of 10000 ms: " +
        'the connection is lost; what was under way may have been written or not',
      details: { topic: 'orders', partition: 0, messages: 2, fate: 'unknown' },
      cause: lost,
    });

    broker.fate = () => ({ executed: 'yes' });
    await producer.send('orders', at0(3));
    expect(broker.produced.at(-1)).toMatchObject({ sequence: 3, values: ['3'] });
    // Its late execution finds the higher sequence, and changes nothing.
    broker.catchUp();
    expect(producing.values(0)).toEqual(['3']);
  });

  test('was not written when it never left', async () => {
    const { producer, broker, timers } = new Producing({ deliveryTimeout: '10s' });
    broker.fate = () => ({ executed: 'no', error: unsent });
    const first = rejectionOf(producer.send('orders', at0(1)), 'RS_REDIS_TIMEOUT');
    await turn();
    const behind = rejectionOf(producer.send('orders', at0(2)), 'RS_REDIS_TIMEOUT');
    await timers.advance(10_000);
    expect((await first).details).toMatchObject({ fate: 'notWritten' });
    const { details, message } = await behind;
    expect(details).toMatchObject({ fate: 'notWritten', messages: 1 });
    expect(message).toContain('the batches before it took all the time');
  });
});

describe('an error of Redis that does not go away', () => {
  test('rejects its batch alone', async () => {
    const producing = new Producing();
    const { producer, broker } = producing;
    broker.fate = ({ values }) =>
      values.includes('2') ? { executed: 'no', error: wrongType } : { executed: 'yes' };
    await producer.send('orders', at0(1));
    const error = await rejectionOf(producer.send('orders', at0(2)), 'RS_REDIS_REPLY');
    expect(error.message).toBe(
      "a message to topic 'orders', partition 0: it was not confirmed: WRONGTYPE Operation against a key; what was under way may have been written or not",
    );
    expect(error).toMatchObject({
      cause: wrongType,
      retriable: false,
      details: { topic: 'orders', partition: 0, fate: 'unknown' },
    });
    await producer.send('orders', at0(3));
    expect(producing.values(0)).toEqual(['1', '3']);
  });

  test('of one partition leaves the other: sendBatch says which messages were written', async () => {
    const { producer, broker } = new Producing();
    broker.fate = ({ stream }) =>
      stream.endsWith('p1') ? { executed: 'no', error: wrongType } : { executed: 'yes' };
    const messages = [at0(1), { value: 2, partition: 1 }, at0(3), { value: 4, partition: 1 }];
    const error = await rejectionOf(producer.sendBatch('orders', messages), 'RS_REDIS_REPLY');
    expect(error.message).toMatch(
      /^2 of 4 messages sent to topic 'orders' were not confirmed, the first of them: 2 messages to topic 'orders', partition 1: /,
    );
    const { receipts, failed, errors } = error.details as {
      receipts: ({ partition: number } | undefined)[];
      failed: number[];
      errors: RsError[];
    };
    expect(receipts.map((receipt) => receipt?.partition)).toEqual([0, undefined, 0, undefined]);
    expect(failed).toEqual([1, 3]);
    expect(errors.map(({ details }) => details.fate)).toEqual(['unknown', 'unknown']);
  });

  test('an answer that nobody understands is one of them', async () => {
    const producing = new Producing();
    producing.broker.run = () => Promise.resolve('what?');
    await rejectionOf(producing.producer.send('orders', at0(1)), 'RS_REDIS_REPLY');
  });
});

test('a producer id that somebody else uses is told', async () => {
  const producing = new Producing();
  const { producer, broker } = producing;
  await producer.send('orders', at0(1));
  await broker.run({
    script: { name: 'produce', source: '', sha1: '', resendable: true },
    keys: ['rs:{orders#0}:p0', 'rs:{orders#0}:p0:pid'],
    args: ['me', 9, '1,json,-,', '', '', '"other"'],
  });
  const error = await rejectionOf(producer.send('orders', at0(2)), 'RS_PRODUCER_SEQUENCE');
  expect(error.details).toMatchObject({ sequence: 2, last: 9, fate: 'unknown' });
  expect(producing.values(0)).toEqual(['1', '"other"']);
});
