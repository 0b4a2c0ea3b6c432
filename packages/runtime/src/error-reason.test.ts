import { expect, test } from '@jest/globals';
import { errorReason } from './error-reason.ts';

test.each<[unknown, string]>([
  [new TypeError('boom'), 'boom'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [Symbol('s'), 'Symbol(s)'],
  [Object.create(null), 'a thrown object'],
])('whatever is thrown has a reason (%#)', (thrown, reason) => {
  expect(errorReason(thrown)).toBe(reason);
});
