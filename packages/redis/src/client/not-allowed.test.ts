import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { replyError } from '../driver/reply-error.ts';
import { notAllowed } from './not-allowed.ts';

const script = {
  name: 'join',
  source: "local a = 1\n  redis.call('HSET', KEYS[1], 'a', a)\nreturn redis.pcall(name)",
  sha1: '',
  resendable: true,
};

function told(reply: string, keys: readonly string[] = ['k']): unknown {
  return notAllowed({ name: 'script join', script, keys }, replyError(reply));
}

test('before Redis 7.2 the line of the script tells the command', () => {
  const reply =
    "ERR The user executing the script can't run this command or subcommand script: b0eb, on @user_script:2.";
  expect(told(reply)).toMatchObject({
    code: 'RS_REDIS_AUTH',
    message: `script join is not allowed: Redis replied: ${reply}; the command is HSET; its key is k; correct the rules of the user with ACL SETUSER`,
    cause: { code: 'RS_REDIS_AUTH' },
    details: { reply, name: 'script join', keys: ['k'], command: 'HSET' },
  });
});

test.each(['on @user_script:3.', 'on @user_script:99.', ''])('a line that tells nothing: %p', (where) => {
  const error = told(`ERR The user executing the script can't run this command or subcommand ${where}`);
  expect(error).toMatchObject({
    code: 'RS_REDIS_AUTH',
    message: expect.not.stringContaining('the command is'),
  });
});

test('keys are named, the first of many', () => {
  const reply = 'NOPERM this user has no permissions to access one of the keys used as arguments';
  expect(told(reply, ['a', 'b', 'c', 'd', 'e'])).toMatchObject({
    message: expect.stringContaining('; its keys are a, b, c and 2 more; '),
    details: { keys: ['a', 'b', 'c', 'd', 'e'] },
  });
  expect(told(reply, [])).toMatchObject({ message: expect.not.stringContaining('key is') });
});

test.each([
  replyError('WRONGPASS invalid username-password pair'),
  replyError('WRONGTYPE Operation against a key'),
  new RsError('RS_REDIS_AUTH', 'refused'),
  new Error('other'),
])('everything else stays as it is: %s', (reason) => {
  expect(notAllowed({ name: 'GET', script: undefined, keys: ['k'] }, reason)).toBe(reason);
});
