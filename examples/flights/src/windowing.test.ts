import { describe, expect, test } from '@jest/globals';
import { MAX_WINDOWS_PER_FLIGHT, assignerOf } from './windowing.ts';

describe('assignerOf', () => {
  test('makes the windows that were asked for', () => {
    expect(assignerOf({ kind: 'tumbling', size: 10 }).describe()).toBe('tumbling(10)');
    expect(assignerOf({ kind: 'sliding', size: 10, slide: 25 }).describe()).toBe('sliding(10, 25)');
    expect(assignerOf({ kind: 'session', gap: 10 }).describe()).toBe('session(10)');
  });

  test('refuses more windows per flight than memory has room for', () => {
    const size = MAX_WINDOWS_PER_FLIGHT;
    expect(assignerOf({ kind: 'sliding', size, slide: 1 }).describe()).toBe('sliding(300, 1)');
    expect(() => assignerOf({ kind: 'sliding', size: size + 1, slide: 1 })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });
});
