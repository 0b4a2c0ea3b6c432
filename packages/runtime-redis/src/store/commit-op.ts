import type { RedisArgument } from '@rs/redis';

/**
 * A write of a commit to one key of the task's slot. All but `append` are absolute: the same again changes nothing. `append`
 * is for streams that others write to as well, so it cannot bring ids of its own; it rests on the number of the commit,
 * which a script checks before its first write.
 */
export type CommitOp =
  /** `fields`: names and values in turn. */
  | { readonly type: 'hset'; readonly key: string; readonly fields: readonly RedisArgument[] }
  | { readonly type: 'hdel'; readonly key: string; readonly fields: readonly RedisArgument[] }
  /** `members`: scores and members in turn. */
  | { readonly type: 'zadd'; readonly key: string; readonly members: readonly RedisArgument[] }
  | { readonly type: 'zrem'; readonly key: string; readonly members: readonly RedisArgument[] }
  /** Adds entries whose id is above the last one of the stream, and leaves out the others. */
  | { readonly type: 'xadd'; readonly key: string; readonly entries: readonly StreamEntry[] }
  /** Removes entries below an id. */
  | { readonly type: 'xtrim'; readonly key: string; readonly minId: string }
  | { readonly type: 'append'; readonly key: string; readonly entries: readonly (readonly RedisArgument[])[] }
  | { readonly type: 'unlink'; readonly key: string };

export interface StreamEntry {
  readonly id: string;
  /** Names and values in turn. */
  readonly fields: readonly RedisArgument[];
}
