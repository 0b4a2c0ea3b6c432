import { expect, test } from '@jest/globals';
import { replyError } from '../driver/reply-error.ts';
import { refusalOf } from './refusal.ts';

const asked = { host: '10.0.0.1', port: 7000 };

test.each([
  ['MOVED 3999 127.0.0.1:6381', { kind: 'moved', slot: 3999, node: { host: '127.0.0.1', port: 6381 } }],
  ['ASK 3999 127.0.0.1:6381', { kind: 'ask', slot: 3999, node: { host: '127.0.0.1', port: 6381 } }],
  ['MOVED 3999 ::1:6381', { kind: 'moved', slot: 3999, node: { host: '::1', port: 6381 } }],
  ['MOVED 3999 :6381', { kind: 'moved', slot: 3999, node: { host: '10.0.0.1', port: 6381 } }],
  ['MOVED 3999 ?:6381', { kind: 'moved', slot: 3999, node: { host: '10.0.0.1', port: 6381 } }],
  ['LOADING Redis is loading the dataset in memory', { kind: 'again' }],
  ['READONLY You can not write against a read only replica.', { kind: 'elsewhere' }],
  ['BUSY Redis is busy running a script.', { kind: 'again' }],
  ['BUSYGROUP Consumer Group name already exists', { kind: 'final' }],
  ['ERR syntax error', { kind: 'final' }],
  ['FENCED', { kind: 'final' }],
])('%s', (reply, refusal) => {
  expect(refusalOf(replyError(reply), asked)).toEqual(refusal);
});
