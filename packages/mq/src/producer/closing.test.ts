import { describe, expect, test } from '@jest/globals';
import { RsError, topic } from '@rs/core';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';

const at0 = (value: unknown) => ({ value, partition: 0 });

describe('close', () => {
  test('writes what waits, and refuses what comes later', async () => {
    const producing = new Producing({ linger: '1h', maxPending: 2 });
    const { producer } = producing;
    const sent = [1, 2, 3].map((value) => producer.send('orders', at0(value)));
    const closed = producer.close();
    await rejectionOf(producer.send('orders', at0(4)), 'RS_CLOSED');
    await rejectionOf(producer.sendBatch('orders', [at0(4)]), 'RS_CLOSED');
    await closed;
    await Promise.all(sent);
    expect(producing.values(0)).toEqual(['1', '2', '3']);
  });

  test('ends within its time with Redis away, and says of each message what is known', async () => {
    const producing = new Producing({ maxPending: 3, maxBatch: 1 });
    const { producer, broker, timers } = producing;
    await producer.send('orders', at0('warm'));
    broker.held = true;
    const all = Promise.allSettled([
      producer.send('orders', at0('under way')),
      producer.send('orders', at0('queued')),
      producer.sendBatch('orders', [at0('queued'), at0('waiting')]),
      producer.send('orders', at0('waiting')),
    ]);
    let ended = false;
    const closed = producer.close({ timeout: '2s' }).then(() => (ended = true));
    await timers.advance(1_999);
    expect(ended).toBe(false);
    await timers.advance(1);
    expect(ended).toBe(true);
    await closed;
    const facts = (await all).map((one) => {
      const { code, details } = (one as PromiseRejectedResult).reason as RsError;
      return [code, details.fate ?? (details.errors as RsError[]).map((error) => error.details.fate)];
    });
    expect(facts).toEqual([
      ['RS_CLOSED', 'unknown'],
      ['RS_CLOSED', 'notWritten'],
      ['RS_CLOSED', ['notWritten', 'notWritten']],
      ['RS_CLOSED', 'notWritten'],
    ]);
    // Nothing is sent any more.
    broker.held = false;
    await timers.advance(60_000);
    expect(broker.produced.map(({ values }) => values)).toEqual([['"warm"'], ['"under way"']]);
  });

  test('ends a pause between two attempts', async () => {
    const { producer, broker, timers } = new Producing();
    broker.fate = () => ({ executed: 'no' });
    const sent = rejectionOf(producer.send('orders', at0(1)), 'RS_CLOSED');
    await turn();
    const closed = producer.close({ timeout: 0 });
    await timers.advance(0);
    await closed;
    expect((await sent).details).toMatchObject({ fate: 'unknown' });
    expect(timers.time.planned).toBe(0);
  });

  test('rejects what waits for a topic that is never read', async () => {
    const { producer, broker, timers } = new Producing();
    broker.run = () => new Promise(() => undefined);
    const sent = rejectionOf(producer.send('orders', at0(1)), 'RS_CLOSED');
    const closed = producer.close({ timeout: 100 });
    await timers.advance(100);
    await closed;
    expect((await sent).details).toMatchObject({ fate: 'notWritten' });
  });

  test('rejects what waits for a schema that never answers', async () => {
    const { producer, timers } = new Producing();
    const never = topic('orders', {
      value: {
        '~standard': {
          version: 1 as const,
          vendor: 'test',
          validate: () => new Promise<never>(() => undefined),
        },
      },
    });
    const sent = rejectionOf(producer.send(never, { value: 1 }), 'RS_CLOSED');
    const closed = producer.close({ timeout: 100 });
    await timers.advance(100);
    await closed;
    await sent;
  });

  test('may be called again, and by await using', async () => {
    const { producer } = new Producing();
    await Promise.all([producer.close(), producer.close({ timeout: 1 }), producer[Symbol.asyncDispose]()]);
    await rejectionOf(producer.send('orders', at0(1)), 'RS_CLOSED');
  });

  test.each([-1, Number.NaN, 'soon'])('refuses the timeout %p, and closes nothing', async (timeout) => {
    const { producer } = new Producing();
    await expect(producer.close({ timeout: timeout as number })).rejects.toEqual(
      coded('RS_INVALID_DURATION'),
    );
    await producer.send('orders', at0(1));
  });
});

describe('flush', () => {
  test('ends when what was sent before is settled, whatever is sent after', async () => {
    const { producer, broker } = new Producing();
    await producer.send('orders', at0(0));
    broker.held = true;
    const sent = producer.send('orders', at0(1));
    await turn();
    let flushed = false;
    const flushing = producer.flush().then(() => (flushed = true));
    const later = producer.send('orders', { value: 2, partition: 1 });
    await turn();
    expect(flushed).toBe(false);
    broker.answer();
    await flushing;
    await sent;
    broker.answer();
    await later;
  });

  test('ends also when that was rejected', async () => {
    const { producer, broker } = new Producing();
    broker.fate = () => ({ executed: 'no', error: new RsError('RS_REDIS_REPLY', 'ERR') });
    const sent = rejectionOf(producer.send('orders', at0(1)), 'RS_REDIS_REPLY');
    await producer.flush();
    await sent;
  });

  test('ends at once when nothing is under way', async () => {
    await new Producing().producer.flush();
  });
});

test('the signal of a flush ends the waiting; what was sent goes on', async () => {
  const producing = new Producing();
  const { producer, broker } = producing;
  broker.held = true;
  const sent = producer.send('orders', at0(1));
  const controller = new AbortController();
  const flushing = producer.flush({ signal: controller.signal }).catch((error: unknown) => error);
  await turn();
  controller.abort('enough');
  expect(await flushing).toBe('enough');
  await expect(producer.flush({ signal: controller.signal })).rejects.toBe('enough');
  await rejectionOf(producer.flush({ signal: 7 as never }), 'RS_INVALID_ARGUMENT');
  broker.answer();
  await sent;
  expect(producing.values(0)).toEqual(['1']);
});
