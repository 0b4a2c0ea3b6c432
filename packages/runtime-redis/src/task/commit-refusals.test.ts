import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { replyError } from '@rs/redis';
import { CommitRefusals } from './commit-refusals.ts';

const OOM = replyError("OOM command not allowed when used memory > 'maxmemory'.");

test('the first refusal is told, with what to do; the next ones are not, until a commit was answered', () => {
  const told = jest.fn<(error: RsError) => void>();
  const refusals = new CommitRefusals(told);
  refusals.refused(OOM);
  refusals.refused(OOM);
  expect(told.mock.calls).toEqual([
    [
      expect.objectContaining({
        code: 'RS_REDIS_REFUSED',
        message: expect.stringMatching(/raise maxmemory.*OOM command/),
      }),
    ],
  ]);
  refusals.answered();
  refusals.refused(OOM);
  expect(told).toHaveBeenCalledTimes(2);
});

test.each(['LOADING Redis is loading', 'READONLY replica', 'TRYAGAIN'])(
  'what passes by itself is not told: %s',
  (reply) => {
    const told = jest.fn<(error: RsError) => void>();
    new CommitRefusals(told).refused(replyError(reply));
    expect(told).not.toHaveBeenCalled();
  },
);

test('what the call fails with at its deadline says what to do as well', () => {
  const refusals = new CommitRefusals(() => undefined);
  const late = new RsError('RS_REDIS_TIMEOUT', 'script commit-task was refused', { cause: OOM });
  expect(refusals.explained(late)).toMatchObject({
    code: 'RS_REDIS_TIMEOUT',
    message: expect.stringMatching(/raise maxmemory.*script commit-task was refused/),
  });
  const silent = new RsError('RS_REDIS_TIMEOUT', 'no reply');
  expect(refusals.explained(silent)).toBe(silent);
});
