import { expect, test } from '@jest/globals';
import { type ErrorCode, RsError } from '@rs/core';
import { failureKind } from './failure.ts';

test.each<[ErrorCode, string]>([
  ['RS_USER_FUNCTION_FAILED', 'record'],
  ['RS_INVALID_KEY', 'permanent'],
  ['RS_PATTERN_LIMIT', 'permanent'],
  ['RS_PATTERN_SKIP_MISSED', 'permanent'],
  ['RS_STATE_UNDECLARED', 'fatal'],
  // Each record of a key with state would become a dead letter: the pattern is wrong, or its uid.
  ['RS_PATTERN_MISMATCH', 'fatal'],
])('%s out of user code: %s', (code, kind) => {
  expect(failureKind(new RsError(code, 'it failed'), true)).toBe(kind);
});

test.each<[ErrorCode, string]>([
  ['RS_LEASE_LOST', 'lost'],
  ['RS_REDIS_UNAVAILABLE', 'redis'],
  ['RS_REDIS_AUTH', 'fatal'],
  ['RS_INVALID_VALUE', 'fatal'],
])('%s out of the engine: %s', (code, kind) => {
  expect(failureKind(new RsError(code, 'it failed'), false)).toBe(kind);
});

test('what is no error of ours is that of the record, or of the engine', () => {
  expect([failureKind(new TypeError('x'), true), failureKind(new TypeError('x'), false)]).toEqual([
    'record',
    'fatal',
  ]);
});
