import { expect, test } from '@jest/globals';
import { replyError } from './reply-error.ts';

test.each([
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'CLUSTERDOWN Hash slot not served',
  'TRYAGAIN Multiple keys request during rehashing of slot',
  "READONLY You can't write against a read only replica. script: e0e1, on @user_script:1.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  'NOREPLICAS Not enough good replicas to write.',
  'NOSCRIPT No matching script. Please use EVAL.',
  'MOVED 3999 127.0.0.1:6381',
  'ASK 3999 127.0.0.1:6381',
])('refused before it was executed: %s', (reply) => {
  const error = replyError(reply);
  expect(error.code).toBe('RS_REDIS_REFUSED');
  expect(error.retriable).toBe(true);
  expect(error.details).toMatchObject({ reply, prefix: reply.split(' ')[0] });
});

test.each([
  'NOAUTH Authentication required.',
  'WRONGPASS invalid username-password pair or user is disabled.',
  "NOPERM this user has no permissions to run the 'flushall' command",
  'DENIED Redis is running in protected mode',
  // Before Redis 7.2.
  "ERR The user executing the script can't run this command or subcommand script: b0eb, on @user_script:50.",
  "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
])('not allowed: %s', (reply) => {
  const error = replyError(reply);
  expect(error.code).toBe('RS_REDIS_AUTH');
  expect(error.retriable).toBe(false);
});

test.each([
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE'],
  ['BUSYGROUP Consumer Group name already exists', 'BUSYGROUP'],
  ['BUSYKEY Target key name already exists.', 'BUSYKEY'],
  ['UNBLOCKED the stream key no longer exists', 'UNBLOCKED'],
  ['FENCED', 'FENCED'],
  ['ERR unknown command', 'ERR'],
  ['Error in words of its own', ''],
  ['LOADINGS of trouble', 'LOADINGS'],
  ['', ''],
])('everything else is final: %s', (reply, prefix) => {
  const error = replyError(reply);
  expect(error.code).toBe('RS_REDIS_REPLY');
  expect(error.retriable).toBe(false);
  expect(error.details).toEqual({ reply, prefix });
  expect(error.message).toContain(reply);
});

test.each([
  ['MOVED 3999 127.0.0.1:6381', { slot: 3999, host: '127.0.0.1', port: 6381 }],
  ['ASK 0 redis-2.internal:7000', { slot: 0, host: 'redis-2.internal', port: 7000 }],
  ['MOVED 1 2001:db8::1:7000', { slot: 1, host: '2001:db8::1', port: 7000 }],
  ['MOVED 1 :7000', { slot: 1, host: '', port: 7000 }],
])('%s tells where to', (reply, where) => {
  expect(replyError(reply).details).toEqual({ reply, prefix: reply.split(' ')[0], ...where });
});

test('a redirection that cannot be read has no place', () => {
  expect(replyError('MOVED somewhere').details).toEqual({ reply: 'MOVED somewhere', prefix: 'MOVED' });
});
