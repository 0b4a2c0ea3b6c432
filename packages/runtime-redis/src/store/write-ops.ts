import { RsError } from '@rs/core';
import type { RedisArgument } from '@rs/redis';
import type { ChangeList } from './change-list.ts';
import { ENTRY_VALUES } from './commit-limits.ts';
import type { CommitOp } from './commit-op.ts';

/**
 * Adds the writes of sinks and dead letters to a commit, in their order.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` for one that Redis would refuse: nothing may fail half way
 */
export function writeOps(list: ChangeList, ops: readonly CommitOp[]): void {
  for (const op of ops) writeOp(list, op);
}

function writeOp(list: ChangeList, op: CommitOp): void {
  switch (op.type) {
    case 'hset':
      checkPairs(op.key, op.fields);
      return addSome(list, op.type, op.key, op.fields, 2);
    case 'hdel':
      return addSome(list, op.type, op.key, op.fields, 1);
    case 'zadd':
      checkPairs(op.key, op.members);
      checkScores(op.key, op.members);
      return addSome(list, op.type, op.key, op.members, 2);
    case 'zrem':
      return addSome(list, op.type, op.key, op.members, 1);
    case 'xadd':
      for (const { id } of op.entries) checkId(op.key, id);
      return addEntries(list, op.type, op.key, op.entries);
    case 'append':
      return addEntries(
        list,
        op.type,
        op.key,
        op.entries.map((fields) => ({ id: '*', fields })),
      );
    case 'xtrim':
      checkId(op.key, op.minId);
      return list.add('xtrim', op.key, [op.minId], 1);
    case 'unlink':
      return list.add('unlink', op.key, [], 1);
  }
}

function addSome(
  list: ChangeList,
  type: 'hset' | 'hdel' | 'zadd' | 'zrem',
  key: string,
  values: readonly RedisArgument[],
  each: number,
): void {
  if (values.length > 0) list.add(type, key, values, values.length / each);
}

/** Entries in their order; a run of those with as many fields is one change. */
function addEntries(
  list: ChangeList,
  type: 'xadd' | 'append',
  key: string,
  entries: readonly { readonly id: string; readonly fields: readonly RedisArgument[] }[],
): void {
  let values: RedisArgument[] = [];
  let count = 0;
  const flush = (): void => {
    if (count > 0) list.add(type, key, values, count);
    values = [];
    count = 0;
  };
  for (const { id, fields } of entries) {
    checkPairs(key, fields);
    if (fields.length > ENTRY_VALUES)
      throw invalid(key, `an entry has ${ENTRY_VALUES / 2} fields at most`, fields.length / 2);
    if (fields.length !== values[0]) {
      flush();
      values.push(fields.length);
    }
    values.push(id, ...fields);
    count += 1;
  }
  flush();
}

const SCORE = /^[+-]?(?:inf|\d+(?:\.\d*)?(?:e[+-]?\d+)?)$/i;
const ID = /^(0|[1-9]\d{0,19})-(0|[1-9]\d{0,19})$/;
const LARGEST = String(2n ** 64n - 1n);

function checkPairs(key: string, values: readonly RedisArgument[]): void {
  if (values.length % 2 === 0 && values.length > 0) return;
  throw invalid(key, 'names and values have to come in pairs', values.length);
}

function checkScores(key: string, members: readonly RedisArgument[]): void {
  for (let at = 0; at < members.length; at += 2) {
    const score = members[at];
    if (typeof score === 'number' ? Number.isFinite(score) : isScore(score)) continue;
    throw invalid(key, 'a score has to be a number', score);
  }
}

/** Text that Redis takes for a score. It knows no `1e400`, which would be infinite. */
function isScore(text: RedisArgument | undefined): boolean {
  if (typeof text !== 'string' || !SCORE.test(text)) return false;
  return /inf/i.test(text) || Number.isFinite(Number(text));
}

function checkId(key: string, id: string): void {
  const [, ms = '', seq = ''] = ID.exec(id) ?? [];
  if (ms !== '' && id !== '0-0' && fits(ms) && fits(seq)) return;
  throw invalid(key, 'an id has to be two numbers of 64 bits, above 0-0', id);
}

function fits(digits: string): boolean {
  return digits.length < LARGEST.length || digits <= LARGEST;
}

function invalid(key: string, what: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `a write to ${key}: ${what}, got ${String(received)}`, {
    details: { key, received },
  });
}
