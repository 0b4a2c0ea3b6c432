import { RsError } from '@rs/core';
import type { RedisArgument } from '@rs/redis';
import type { CommitOp } from '../../store/commit-op.ts';
import { checkFunctions, type SlotSink, slotSink } from './slot-sink.ts';
import { checkText } from './slot-value.ts';

export interface RedisSortedSetOptions<T> {
  /** The member that a result is about. The last result for a member stands. */
  readonly member: (value: T) => string | number;
  /** Its score, which may be infinite. */
  readonly score: (value: T) => number;
  /** True for a result that removes its member. Default: none does. */
  readonly delete?: (value: T) => boolean;
}

interface MemberWrite {
  readonly member: string;
  /** `undefined`: the member is removed. */
  readonly score: RedisArgument | undefined;
}

/**
 * Keeps the newest score of each member in a sorted set of Redis, written by the commit that makes it: exactly once, without delay. There
 * is one set for each partition of the topic that the records came from, under the same keys as those of `redisHash`.
 *
 * @param name `[A-Za-z0-9._-]{1,128}`, unique among the sinks of the job. The set stays when the job is gone
 * @example scores.addSink(redisSortedSet('best', { member: (player) => player.id, score: (player) => player.points }));
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`. At run, on another engine: `RS_UNSUPPORTED`
 */
export function redisSortedSet<T>(name: string, options: RedisSortedSetOptions<T>): SlotSink<T> {
  const factory = 'redisSortedSet';
  checkFunctions(factory, options, { required: ['member', 'score'], optional: ['delete'] });
  const { member, score, delete: removes } = options;
  const where = `${factory} '${name}'`;
  return slotSink<T>(factory, name, {
    type: 'zset',
    encode: (result): MemberWrite => {
      const each = result as T;
      return {
        member: checkText(member(each), `${where}: a member`),
        score: removes?.(each) === true ? undefined : scoreText(score(each), where),
      };
    },
    ops: (key, writes) => setOps(key, writes as readonly MemberWrite[]),
  });
}

function setOps(key: string, writes: readonly MemberWrite[]): CommitOp[] {
  const last = new Map(writes.map(({ member, score }) => [member, score]));
  const added: RedisArgument[] = [];
  const removed: string[] = [];
  for (const [member, score] of last) {
    if (score === undefined) removed.push(member);
    else added.push(score, member);
  }
  return [
    ...(added.length === 0 ? [] : [{ type: 'zadd' as const, key, members: added }]),
    ...(removed.length === 0 ? [] : [{ type: 'zrem' as const, key, members: removed }]),
  ];
}

function scoreText(score: unknown, where: string): RedisArgument {
  if (score === Infinity) return '+inf';
  if (score === -Infinity) return '-inf';
  if (typeof score === 'number' && Number.isFinite(score)) return score;
  throw new RsError('RS_INVALID_VALUE', `${where}: a score must be a number, got ${String(score)}`, {
    details: { received: score },
  });
}
