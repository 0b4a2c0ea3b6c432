import { partitionOf, type StateDescriptor } from '@rs/core';
import type { RedisClient } from '@rs/redis';
import {
  emptyState,
  readState,
  routeText,
  type SchemaMismatch,
  type StoredStateOf,
  type Topology,
} from '@rs/runtime';
import type { StagePlan } from '../ownership/stage-tasks.ts';
import { TaskStore } from '../store/task-store.ts';
import { checkQuery } from './queried-state.ts';

export interface QueryHost {
  readonly client: RedisClient;
  readonly topology: Topology;
  readonly plans: readonly StagePlan[];
  /** What is done about values of another version. */
  readonly schemaMismatch: SchemaMismatch;
}

/**
 * Reads what is committed of one key, whoever owns its partition.
 *
 * @throws RsError as {@link checkQuery}; `RS_INVALID_KEY`, `RS_INVALID_VALUE`; what the client throws
 */
export async function queryState<D extends StateDescriptor>(
  { client, topology, plans, schemaMismatch }: QueryHost,
  uid: string,
  descriptor: D,
  key: unknown,
): Promise<StoredStateOf<D>> {
  const { graph } = topology;
  checkQuery(graph, uid, descriptor);
  const plan = plans.find(({ stage }) => stage.nodes.some((node) => graph.operatorId(node) === uid));
  if (plan === undefined) return emptyState(descriptor);
  // All records of a key are in this partition: another one would have failed with RS_NOT_COLOCATED.
  const place = plan.placeOf(partitionOf(routeText(key), plan.partitions));
  const store = new TaskStore({ client, place });
  const now = await store.now();
  const kept = { operator: uid, now: () => now };
  const stored = await readState(store, kept, descriptor, key, { schemaMismatch });
  return stored ?? emptyState(descriptor);
}
