import type { LogicalGraph } from '../graph/graph.ts';
import type { GraphNode } from '../graph/node.ts';
import { instantiate, type Plan } from '../graph/plan.ts';
import { isPromise } from '../promise.ts';
import type { AnyReceiver } from '../operator/receiver.ts';
import { SinkOperator } from '../operator/sink.ts';
import type { Task } from '../operator/task.ts';
import { closeQuietly } from '../operator/closing.ts';
import { cancelReader, closeOperators, type Resource, resourcesOf } from './lifecycle.ts';
import type { SourceReader } from './source-reader.ts';

/** Records that a single source may send before the caller has its turn. */
const TURN = 1024;

/**
 * Runs a job step by step in the calling stack, for pipelines in which nothing is asynchronous: yields after every
 * round over the sources, so that a caller can take results as they come.
 *
 * @param turn records per round where there is one source; several take turns, one record each
 */
export function* runSync(
  graph: LogicalGraph,
  task: Task,
  readers: ReadonlyMap<GraphNode, SourceReader>,
  turn = TURN,
): Generator<void, void> {
  const resources = resourcesOf(graph, readers.values());
  const opened: Resource[] = [];
  let plan: Plan | undefined;
  try {
    plan = instantiate(graph, task, { sink: (node, gate) => new SinkOperator(gate, node.sink) });
    for (const resource of resources) {
      opened.push(resource);
      openNow(resource, task);
    }
    yield* pumpAll(plan.heads, readers, task, readers.size > 1 ? 1 : turn);
  } finally {
    task.stop();
    for (const reader of readers.values()) cancelReader(reader, task.options.logger);
    for (const resource of opened.toReversed())
      closeQuietly(() => resource.close?.(), resource.name, task.options.logger);
    closeOperators(plan, task.options.logger);
  }
}

function* pumpAll(
  heads: ReadonlyMap<GraphNode, AnyReceiver>,
  readers: ReadonlyMap<GraphNode, SourceReader>,
  task: Task,
  limit: number,
): Generator<void, void> {
  const active = new Map(readers);
  while (active.size > 0) {
    for (const [node, reader] of active) {
      const head = heads.get(node) as AnyReceiver;
      const result = reader.pump(head, task, limit);
      task.throwFailure();
      if (result === 'ended') {
        active.delete(node);
        head.end();
        task.throwFailure();
      } else if (result !== 'more') {
        result.then(undefined, () => undefined); // Nobody will wait for it.
        throw task.asyncRefused(reader.name);
      }
    }
    yield;
  }
}

function openNow(resource: Resource, task: Task): void {
  let result;
  try {
    result = resource.open?.();
  } catch (error) {
    throw resource.failed(error);
  }
  if (isPromise(result)) {
    result.then(undefined, () => undefined);
    throw task.asyncRefused(`open() of ${resource.name}`);
  }
}
