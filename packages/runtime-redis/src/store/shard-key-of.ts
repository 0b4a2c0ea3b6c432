import type { KeyAddress } from '@rs/runtime';
import { shardOf } from '../keys/shard-of.ts';
import type { StateKeys, TaskKeys } from '../keys/task-keys.ts';

/** The hash in which the values of a state lie for a key; of collections, that which holds their marks. */
export function shardKeyOf(keys: TaskKeys, address: KeyAddress): string {
  return shardIn(keys.state(address.operator, address.state), address);
}

export function shardIn(keys: StateKeys, address: Pick<KeyAddress, 'key'>): string {
  return keys.shards[shardNumber(keys, address)] as string;
}

export function shardNumber({ shards }: StateKeys, { key }: Pick<KeyAddress, 'key'>): number {
  return shardOf(key, shards.length);
}
