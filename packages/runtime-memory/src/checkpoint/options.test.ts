import { describe, expect, test } from '@jest/globals';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { TextStorage } from '../test-support/text-storage.ts';

describe('enableCheckpointing', () => {
  test('there is no coordinator before it', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    expect(env.getCheckpointCoordinator()).toBeUndefined();
    expect(env.enableCheckpointing()).toBe(env);
    expect(env.getCheckpointCoordinator()).toBeDefined();
  });

  test('again changes nothing, and with other options is refused', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.enableCheckpointing({ keep: 2, interval: '1s' });
    const coordinator = env.getCheckpointCoordinator();
    env.enableCheckpointing().enableCheckpointing({ interval: 1_000, keep: 2 });
    expect(env.getCheckpointCoordinator()).toBe(coordinator);
    const error = thrownBy(() => env.enableCheckpointing({ keep: 3 }), 'RS_INVALID_ARGUMENT');
    expect(error.message).toContain('with another interval and keep');
  });

  test('refuses a storage from which nothing can be deleted', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const storage = Object.assign(new TextStorage(), { deleteCheckpoint: undefined });
    const error = thrownBy(() => env.enableCheckpointing({ storage }), 'RS_INVALID_ARGUMENT');
    expect(error.message).toContain('deleteCheckpoint');
  });

  test.each([
    [{ keep: 0 }, 'RS_INVALID_ARGUMENT'],
    [{ keep: 1.5 }, 'RS_INVALID_ARGUMENT'],
    [{ interval: 0 }, 'RS_INVALID_DURATION'],
    [{ interval: '1 h' }, 'RS_INVALID_DURATION'],
    [{ storage: {} }, 'RS_INVALID_ARGUMENT'],
    [{ restoreFromLatest: 'no' }, 'RS_INVALID_ARGUMENT'],
    [null, 'RS_INVALID_ARGUMENT'],
  ] as const)('refuses %p', (options, code) => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    expect(() => env.enableCheckpointing(options as never)).toThrow(coded(code));
    expect(env.getCheckpointCoordinator()).toBeUndefined();
  });
});
