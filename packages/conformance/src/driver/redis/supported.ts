import { isRsError } from '@rs/core';
import { planTopology } from '@rs/runtime';
import type { Variant } from '../../variant.ts';
import { graphOf, partitionsOf } from '../harness-graph.ts';

/**
 * Whether records stay in the partition in which they were sent, and no operator reads several topics: what the Redis engine is
 * documented to run. Everything else it refuses at the start.
 */
export function staysInPartitions(variant: Variant): boolean {
  const graph = graphOf(variant);
  try {
    const { stages } = planTopology(graph, partitionsOf(variant));
    return stages.every(({ sent, sources }) => sent.length === 0 && sources.length === 1);
  } catch (error) {
    // What no engine can run has to fail alike.
    if (isRsError(error)) return true;
    throw error;
  }
}
