import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../test-support/deferred.ts';
import type { Event } from '../../test-support/job-catalogue.ts';
import type { CommitFate } from '../../test-support/late-backend.ts';
import { Overlapped, record, sums } from '../../test-support/overlapped-driver.ts';
import { turn } from '../../test-support/turn.ts';

describe('a commit that fails', () => {
  const rejected = { code: 'RS_COMMIT_REJECTED' };
  const closed = { code: 'RS_CLOSED' };

  test.each(['SEQ', 'FENCED'] as const)('is told by the next call: %s', async (reply) => {
    for (const call of ['process', 'tick', 'flush', 'skip'] as const) {
      const run = new Overlapped();
      run.fates.push({ reply });
      const driver = await run.open(sums);
      await driver.process([record(1)]);
      await turn();
      const next = () => {
        switch (call) {
          case 'process':
            return driver.process([record(1)]);
          case 'skip':
            return driver.skip(1);
          default:
            return driver[call]();
        }
      };
      await expect(next()).rejects.toMatchObject({ ...rejected, details: { reply, seq: 1 } });
      await expect(next()).rejects.toMatchObject(closed);
      expect([run.handedOver, run.values]).toEqual([[1], []]);
    }
  });

  test('stops the batch that is being processed, and is what that fails with', async () => {
    const run = new Overlapped();
    const answered = new Deferred();
    run.fates.push({ reply: 'FENCED', answered: () => answered.promise });
    const seen: number[] = [];
    const never = new Deferred<number>();
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .map(({ amount }) => {
          seen.push(amount);
          return amount === 2 ? never.promise : amount;
        })
        .addSink(() => undefined);
    });
    await driver.process([record(1)]);
    const second = driver.process([record(2), record(3)]);
    await turn();
    answered.resolve();
    await expect(second).rejects.toMatchObject(rejected);
    expect(seen).toEqual([1, 2]);
    await expect(driver.flush()).rejects.toMatchObject(closed);
  });

  test.each(['before', 'after'] as const)('for lack of an answer, lost %s it was applied', async (lost) => {
    const run = new Overlapped();
    run.fates.push({ lost });
    const driver = await run.open(sums);
    await driver.process([record(1)]);
    await expect(driver.process([record(2)])).rejects.toThrow('connection lost');
    await expect(driver.process([record(2)])).rejects.toMatchObject(closed);
    const next = await run.open(sums);
    expect(next.position).toBe(lost === 'after' ? 1 : 0);
  });

  test('closes the functions at once', async () => {
    const calls: string[] = [];
    const run = new Overlapped();
    run.fates.push({ reply: 'SEQ' });
    const driver = await run.open((env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .process<string>({ processElement: () => undefined, close: () => void calls.push('close') })
        .addSink(() => undefined);
    });
    await driver.process([record(1)]);
    await turn();
    expect(calls).toEqual(['close']);
    driver.close();
    expect(calls).toEqual(['close']);
  });
});

describe('closed with a commit on its way', () => {
  test.each(['close', 'abandon'] as const)(
    'by %s: nobody waits for it, and its answer has no effect',
    async (end) => {
      for (const fate of [{}, { reply: 'FENCED' }, { lost: 'after' }] satisfies CommitFate[]) {
        const run = new Overlapped();
        const answered = new Deferred();
        run.fates.push({ ...fate, answered: () => answered.promise });
        const driver = await run.open(sums);
        await driver.process([record(1)]);
        const calls = [driver.process([record(2)])];
        await turn();
        driver[end]();
        for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'RS_CLOSED' });
        answered.resolve();
        await turn();
        await expect(driver.flush()).rejects.toMatchObject({ code: 'RS_CLOSED' });
        expect(run.handedOver).toEqual([1]);
      }
    },
  );

  test('flush fails', async () => {
    const run = new Overlapped();
    run.fates.push({ answered: () => new Promise(() => undefined) });
    const driver = await run.open(sums);
    await driver.process([record(1)]);
    const flushed = driver.flush();
    driver.close();
    await expect(flushed).rejects.toMatchObject({ code: 'RS_CLOSED' });
  });
});
