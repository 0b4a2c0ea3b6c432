import type { OperatorTimerChange } from '@rs/runtime';
import type { RedisArgument } from '@rs/redis';
import { shardOf } from '../keys/shard-of.ts';
import type { TaskKeys } from '../keys/task-keys.ts';
import type { ChangeList } from './change-list.ts';
import { memberBytes, scoreOf, timerMember } from './timer-member.ts';

/** Adds what has become of timers to a commit. Of several changes of one timer the last one counts. */
export function writeTimers(list: ChangeList, keys: TaskKeys, changes: readonly OperatorTimerChange[]): void {
  const queues = new Map<string, Map<string, number | undefined>>();
  for (const change of changes) {
    const shards = keys.timers(change.operator, change.kind);
    const key = shards[shardOf(change.key, shards.length)] as string;
    let queue = queues.get(key);
    if (queue === undefined) queues.set(key, (queue = new Map<string, number | undefined>()));
    queue.set(timerMember(change), change.op === 'add' ? change.time : undefined);
  }
  for (const [key, queue] of queues) {
    const added: RedisArgument[] = [];
    const removed: RedisArgument[] = [];
    for (const [member, time] of queue) {
      if (time === undefined) removed.push(memberBytes(member));
      else added.push(scoreOf(time), memberBytes(member));
    }
    if (added.length > 0) list.add('zadd', key, added, added.length / 2);
    if (removed.length > 0) list.add('zrem', key, removed, removed.length);
  }
}
