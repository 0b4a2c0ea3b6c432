import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Ledger } from '../test-support/ledger.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';

/** A storage that fails when checkpoint 1 is there already, and a job whose first run crashes after that. */
function failingLate() {
  const storage = new TextStorage();
  storage.onStored = () => {
    storage.onStored = () => undefined;
    throw new Error('not flushed');
  };
  const ledger = new Ledger();
  const logger = new RecordingLogger();
  const attempt = (crash: boolean) => {
    const { env, coordinator } = checkpointed('async', { storage }, { logger });
    return env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2, 3, 4)
          .map(async (n) => {
            if (crash && n === 2) coordinator.triggerCheckpoint();
            await settle();
            if (crash && n === 4) throw new Error('crash');
            return n;
          })
          .addSink(ledger.sink(), { uid: 'ledger' }),
      ),
    );
  };
  return { storage, ledger, logger, attempt };
}

const WARNING =
  'warn checkpoint 1 could not be stored, and may be there all the same, since it could not be removed; ' +
  'its transactions are not aborted';

describe('a checkpoint whose storing fails when it is there', () => {
  test('is removed, so that its transactions can be aborted', async () => {
    const { storage, ledger, logger, attempt } = failingLate();
    await expect(attempt(true)).rejects.toThrow('crash');
    expect(storage.ids()).toEqual([]);
    expect(ledger.open).toBe(0);
    expect(logger.lines()).not.toContain(WARNING);
    expect((await attempt(false)).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3, 4]);
  });

  test.each<[string, (storage: TextStorage) => void]>([
    ['that fails', (storage) => void (storage.deleteCheckpoint = () => Promise.reject(new Error('busy')))],
    ['it is there still', (storage) => void (storage.deleteCheckpoint = () => Promise.resolve(true))],
  ])('has its transactions committed by the next run when it cannot be removed: %s', async (_why, spoil) => {
    const { storage, ledger, logger, attempt } = failingLate();
    spoil(storage);
    await expect(attempt(true)).rejects.toThrow('crash');
    expect(storage.ids()).toEqual([1]);
    expect(ledger.open).toBe(1);
    expect(logger.lines()).toContain(WARNING);
    expect((await attempt(false)).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3, 4]);
    expect(ledger.calls.filter((call) => call.startsWith('abort'))).toEqual(['abort 2']);
  });

  test('is gone on from also when it is the last of a run', async () => {
    const { storage, ledger, attempt } = failingLate();
    storage.deleteCheckpoint = () => Promise.reject(new Error('busy'));
    await expect(attempt(false)).rejects.toThrow(coded('RS_CHECKPOINT_FAILED'));
    expect(ledger.open).toBe(1);
    expect((await attempt(false)).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3, 4]);
  });

  test('is committed with the next one of the run', async () => {
    const { storage, ledger } = failingLate();
    storage.deleteCheckpoint = () => Promise.reject(new Error('busy'));
    const { env, coordinator } = checkpointed('async', { storage }, { logger: new RecordingLogger() });
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2, 3)
          .map(async (n) => {
            if (n < 3) coordinator.triggerCheckpoint();
            await settle();
            return n;
          })
          .addSink(ledger.sink(), { uid: 'ledger' }),
      ),
    );
    expect(ledger.committed).toEqual([1, 2, 3]);
    expect(ledger.open).toBe(0);
  });
});
