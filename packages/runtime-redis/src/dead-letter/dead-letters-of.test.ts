import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { ChangeList } from '../store/change-list.ts';
import { exceeds, RECORD_LIMITS } from '../store/commit-limits.ts';
import { writeOps } from '../store/write-ops.ts';
import { deadLettersOf } from './dead-letters-of.ts';

const maker = deadLettersOf({ key: 'dlq', job: 'billing', group: 'g', now: () => 1_000 });

const entryOf = (h = '') => {
  const fields = ['m', '1,json,k,5', 'k', 'ada', 'h', h, 'd', '1'].map((field) => Buffer.from(field));
  return { id: '7-1', fields, bytes: 0 };
};

/** The facts of a dead letter, and the message in it. */
function parts(op: ReturnType<typeof maker.ofEntry>) {
  if (op.type !== 'append') throw new Error('expected an append');
  expect(op.key).toBe('dlq');
  const fields = (op.entries[0] ?? []).map(String);
  const pairs = Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]]);
  return {
    names: pairs.map(([name]) => name).join(''),
    ...(Object.fromEntries(pairs) as Record<string, string>),
  } as Readonly<Record<string, string>>;
}

describe('a dead letter of a job', () => {
  test('has the form of those of consumer groups, and says in its headers why', () => {
    const cause = new TypeError('no amount');
    const error = new RsError('RS_USER_FUNCTION_FAILED', "map 'x' failed: no amount", { cause });
    const letter = parts(maker.ofEntry(entryOf('{"trace":"t"}'), error, 3));
    expect(letter).toMatchObject({
      names: 'ogntremkhd',
      o: '7-1',
      g: 'g',
      n: '3',
      t: '1000',
      r: 'attempts',
      m: '1,json,k,5',
      k: 'ada',
      d: '1',
    });
    expect(JSON.parse(letter['h'] ?? '')).toEqual({
      trace: 't',
      'x-runtime-job': 'billing',
      'x-runtime-group': 'g',
      'x-runtime-error-type': 'TypeError',
      'x-runtime-error-message': "map 'x' failed: no amount",
    });
    expect(JSON.parse(letter['e'] ?? '')).toMatchObject({ name: 'RsError', message: error.message });
  });

  test('has a message of at most 512 characters about its error', () => {
    const letter = parts(maker.ofEntry(entryOf(), new Error('x'.repeat(2_000)), 1));
    expect((JSON.parse(letter['h'] ?? '') as Record<string, string>)['x-runtime-error-message']).toHaveLength(
      512,
    );
  });

  test('of a record that ends its process says so', () => {
    expect(parts(maker.ofEntry(entryOf(), new RsError('RS_RECORD_CRASHES', 'x'), 5))).toMatchObject({
      r: 'crashed',
      n: '5',
    });
  });

  test.each(['no json', '[]', '5', 'null'])('with headers %j that cannot be read stays what it was', (h) => {
    const error = new RsError('RS_INVALID_VALUE', 'unreadable');
    expect(parts(maker.ofUnreadable(entryOf(h), error))).toMatchObject({ r: 'undecodable', n: '0', h });
  });

  test('of an entry that is no message keeps all of its fields', () => {
    const entry = { id: '7-1', fields: ['x', 'y'].map((field) => Buffer.from(field)), bytes: 0 };
    const letter = parts(maker.ofUnreadable(entry, new RsError('RS_INVALID_VALUE', 'no message')));
    expect(letter).toMatchObject({ names: 'ogntrex', x: 'y' });
    expect(JSON.parse(letter['e'] ?? '')).toMatchObject({ code: 'RS_INVALID_VALUE' });
  });

  test.each([
    ['names and values', new Array<Buffer>(3_000).fill(Buffer.from('x'))],
    [
      'bytes',
      ['m', '1,json,k,5', 'k', '', 'h', '', 'd', 'x'.repeat(33 * 1024 * 1024)].map((field) =>
        Buffer.from(field),
      ),
    ],
  ])('of an entry with too many %s is one that a commit can hold', (_, fields) => {
    const op = maker.ofEntry({ id: '7-1', fields, bytes: 0 }, new Error('no'), 1);
    const list = new ChangeList();
    expect(() => writeOps(list, [op])).not.toThrow();
    expect(exceeds(list, RECORD_LIMITS)).toBe(false);
    expect(parts(op)).toMatchObject({ o: '7-1', r: 'attempts', foreign: expect.any(String) as unknown });
  });

  test('of a timer is a message about it, at its time', () => {
    const timer = { operator: 'op', kind: 'event' as const, time: 50, key: '"ada"', namespace: '' };
    const letter = parts(maker.ofTimer(timer, new Error('no'), 2));
    expect(letter).toMatchObject({ o: '0-0', m: '1,json,-,50', k: '', r: 'attempts' });
    expect(JSON.parse(letter['d'] ?? '')).toEqual({
      timer: { operator: 'op', kind: 'event', time: 50, key: '"ada"' },
    });
  });
});
