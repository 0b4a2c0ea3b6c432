import { describe, expect, test } from '@jest/globals';
import { SessionWindow } from './session-window.ts';

describe('SessionWindow', () => {
  test('an element alone opens a window of one gap', () => {
    const assigner = SessionWindow.withGap('5s');
    expect(assigner.assignWindows('element', 1000).map(String)).toEqual(['[1000,6000)']);
    expect(assigner.assignWindows('element', -5000).map(String)).toEqual(['[-5000,0)']);
    const [window] = assigner.assignWindows('element', -0);
    expect(Object.is(window?.start, 0)).toBe(true);
  });

  test('windows merge; those that only touch stay apart unless asked otherwise', () => {
    expect(SessionWindow.withGap(5).supportsWindowMerging()).toBe(true);
    expect(SessionWindow.withGap(5).touching).toBe('separate');
    expect(SessionWindow.withGap(5, { touching: 'merge' }).touching).toBe('merge');
  });

  test('is on no grid', () => {
    expect('aligned' in SessionWindow.withGap(5)).toBe(false);
  });

  test.each([Number.MAX_SAFE_INTEGER, -Infinity, Infinity, NaN, 0.5])('refuses timestamp %d', (timestamp) => {
    expect(() => SessionWindow.withGap(5).assignWindows('element', timestamp)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_TIMESTAMP',
        details: { assigner: 'session(5)', received: timestamp },
      }),
    );
  });

  test('the largest date of JavaScript has a window', () => {
    expect(SessionWindow.withGap('1d').assignWindows('element', 8.64e15).map(String)).toEqual([
      '[8640000000000000,8640000086400000)',
    ]);
  });

  test.each([0, -5, NaN, 2 ** 51])('refuses gap %d', (gap) => {
    expect(() => SessionWindow.withGap(gap)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_DURATION',
        message: expect.stringContaining('SessionWindow.withGap: gap'),
      }),
    );
  });

  test('refuses options that do not exist, as JavaScript callers may pass', () => {
    const refusal = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
    // @ts-expect-error -- no such choice
    expect(() => SessionWindow.withGap(5, { touching: 'join' })).toThrow(refusal);
    // @ts-expect-error -- no such clock
    expect(() => SessionWindow.withGap(5, { time: 'wall' })).toThrow(refusal);
  });
});
