import { describe, expect, test } from '@jest/globals';
import { type StandardSchema, topic } from '@rs/core';
import { rejectionOf } from '../test-support/coded.ts';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';

function schemaOf<I, O = I>(validate: StandardSchema<I, O>['~standard']['validate']): StandardSchema<I, O> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

const positive = schemaOf<{ amount: number }>((value) =>
  (value as { amount: number }).amount > 0
    ? { value: value as { amount: number } }
    : { issues: [{ message: 'must be positive', path: ['amount'] }, { message: 'is nothing' }] },
);

describe('a topic with a schema', () => {
  test('refuses a value with the issues, before anything is written', async () => {
    const { producer, broker } = new Producing();
    const orders = topic('orders', { value: positive });
    const error = await rejectionOf(producer.send(orders, { value: { amount: 0 } }), 'RS_INVALID_VALUE');
    expect(error.message).toBe(
      "a value sent to topic 'orders' is refused by the topic's schema: amount: must be positive; is nothing",
    );
    expect(error.details).toEqual({
      topic: 'orders',
      issues: [
        { path: 'amount', message: 'must be positive' },
        { path: '', message: 'is nothing' },
      ],
    });
    const inBatch = producer.sendBatch(orders, [{ value: { amount: 1 } }, { value: { amount: -1 } }]);
    expect((await rejectionOf(inBatch, 'RS_INVALID_VALUE')).details).toMatchObject({ index: 1 });
    expect(broker.produced).toEqual([]);
    await producer.send(orders, { value: { amount: 1 } });
    expect(broker.produced.map(({ values }) => values)).toEqual([['{"amount":1}']]);
  });

  test('sends what was given, not what the schema makes of it: readers apply it', async () => {
    const { producer, broker } = new Producing();
    const dates = topic('orders', {
      value: schemaOf<string, Date>((value) => ({ value: new Date(value as string) })),
    });
    await producer.send(dates, { value: '2024-01-01' });
    expect(broker.produced[0]?.values).toEqual(['"2024-01-01"']);
  });

  test('is not asked when the topic is only named', async () => {
    const { producer } = new Producing();
    await producer.send('orders', { value: { amount: 0 } });
  });

  test('that throws or rejects is told as a function that failed', async () => {
    const { producer, broker } = new Producing();
    const broken = topic('orders', {
      value: schemaOf((): never => {
        throw new Error('out of order');
      }),
    });
    const later = topic('orders', { value: schemaOf(() => Promise.reject(new Error('out of order'))) });
    for (const one of [broken, later]) {
      for (const sent of [
        producer.send(one, { value: 1 }),
        producer.sendBatch(one, [{ value: 1 }, { value: 2 }]),
      ]) {
        const error = await rejectionOf(sent, 'RS_USER_FUNCTION_FAILED');
        expect(error.message).toMatch(/the schema of topic 'orders' failed: out of order$/);
      }
    }
    expect(broker.produced).toEqual([]);
  });
});

describe('a schema that answers later', () => {
  /** Answers in the order in which the test says. */
  function slow() {
    const answers = new Map<number, (accepted: boolean) => void>();
    const orders = topic('orders', {
      value: schemaOf<number>(
        (value) =>
          new Promise((resolve) => {
            answers.set(value as number, (accepted) =>
              resolve(accepted ? { value: value as number } : { issues: [{ message: 'no' }] }),
            );
          }),
      ),
    });
    const answer = (value: number, accepted = true) => answers.get(value)?.(accepted);
    return { orders, answer };
  }

  test('keeps the order of the calls, also of those that need no answer', async () => {
    const producing = new Producing();
    const { producer } = producing;
    const { orders, answer } = slow();
    const sent = [1, 2, 3].map((value) => producer.send(orders, { value, partition: 0 }));
    sent.push(producer.send('orders', { value: 4, partition: 0 }));
    const refused = rejectionOf(sent[1] ?? Promise.reject(new Error()), 'RS_INVALID_VALUE');
    answer(3);
    answer(2, false);
    await refused;
    await turn();
    expect(producing.values(0)).toEqual([]);
    answer(1);
    await Promise.all([sent[0], sent[2], sent[3]]);
    expect(producing.values(0)).toEqual(['1', '3', '4']);
  });

  test('refuses a whole batch for one value, whichever it answers first', async () => {
    const producing = new Producing();
    const { producer } = producing;
    const { orders, answer } = slow();
    const sent = rejectionOf(producer.sendBatch(orders, [{ value: 1 }, { value: 2 }]), 'RS_INVALID_VALUE');
    answer(2, false);
    expect((await sent).details).toMatchObject({ index: 1 });
    answer(1, false);
    await turn();
    expect(producing.broker.produced).toEqual([]);
    await producer.send('orders', { value: 3, partition: 0 });
    expect(producing.values(0)).toEqual(['3']);
  });

  test('whose answer nobody waits for, because another value was refused at once, is not unhandled', async () => {
    const { producer } = new Producing();
    const orders = topic('orders', {
      value: schemaOf<number>((value) =>
        value === 1 ? Promise.reject(new Error('later')) : { issues: [{ message: 'no' }] },
      ),
    });
    await rejectionOf(producer.sendBatch(orders, [{ value: 1 }, { value: 2 }]), 'RS_INVALID_VALUE');
    await turn();
  });
});
