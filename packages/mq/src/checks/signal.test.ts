import { expect, test } from '@jest/globals';
import { coded } from '../test-support/coded.ts';
import { waitSignal } from './signal.ts';

test('a signal is taken as it is, and need not be there', () => {
  const { signal } = new AbortController();
  expect(waitSignal({ signal }, 'flush')).toBe(signal);
  expect(waitSignal({}, 'flush')).toBeUndefined();
});

test.each([null, 7, { signal: 'x' }, { signal: {} }, { singal: undefined, sginal: 1 }])(
  '%j is refused',
  (options) => {
    expect(() => waitSignal(options as never, 'flush')).toThrow(coded('RS_INVALID_ARGUMENT'));
  },
);

test('one that is aborted already throws its reason', () => {
  expect(() => waitSignal({ signal: AbortSignal.abort('enough') }, 'flush')).toThrow('enough');
});
