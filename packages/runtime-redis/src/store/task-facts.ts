import { jsonCodec, RsError } from '@rs/core';
import type { RedisReply } from '@rs/redis';
import type { OperatorMeta } from '@rs/runtime';
import { bytes, list } from './replies.ts';
import type { StoredTask, TaskCommit } from './task-commit.ts';

/** What the fields of `meta` that hold more than a number or an id consist of. The codec keeps numbers that are infinite. */
const operatorsCodec = jsonCodec<Readonly<Record<string, OperatorMeta>>>();
const countsCodec = jsonCodec<Readonly<Record<string, number>>>();
const idsCodec = jsonCodec<Readonly<Record<string, string>>>();

/** Names and values of the fields of `meta`, but for those that the script writes itself. */
export function encodeFacts({ count, ended, operators, late, cursors }: TaskCommit): string[] {
  return [
    'count',
    String(count),
    'ended',
    ended ? '1' : '0',
    'operators',
    String(operatorsCodec.encode(operators)),
    'late',
    String(countsCodec.encode(late)),
    'cursors',
    String(idsCodec.encode(cursors)),
  ];
}

/** @throws RsError `RS_INVALID_VALUE` when it is not what {@link encodeFacts} and the scripts wrote */
export function decodeFacts(reply: RedisReply | undefined, task: string): StoredTask {
  const fields = new Map<string, string>();
  const flat = list(reply);
  for (let at = 0; at < flat.length; at += 2)
    fields.set(bytes(flat[at]).toString(), bytes(flat[at + 1]).toString());
  const fact = (name: string): string => {
    const value = fields.get(name);
    if (value !== undefined) return value;
    throw new RsError(
      'RS_INVALID_VALUE',
      `the facts of task '${task}' have no '${name}'; did another program write to its key?`,
      {
        details: { task, name },
      },
    );
  };
  const read = <T>(name: string, decode: (text: string) => T, none: T): T => {
    const value = fields.get(name);
    return value === undefined ? none : decode(value);
  };
  return {
    seq: Number(fact('seq')),
    offset: fact('offset'),
    count: Number(fact('count')),
    ended: fields.get('ended') === '1',
    operators: read('operators', (text) => operatorsCodec.decode(text), {}),
    late: read('late', (text) => countsCodec.decode(text), {}),
    cursors: read('cursors', (text) => idsCodec.decode(text), {}),
    gen: fact('gen'),
    until: fields.get('until'),
  };
}
