import type { Topology } from '../graph/topology.ts';
import { isPromise } from '../promise.ts';
import type { Task } from '../operator/task.ts';
import { closeQuietly } from '../operator/closing.ts';
import { ChainedJob, readersLeft } from './chained.ts';
import { cancelReader, closeOperators, type Resource, resourcesOf } from './lifecycle.ts';
import type { RunHooks } from './run-hooks.ts';
import type { PartitionReader } from './source-reader.ts';

/** Records that a single source may send before the caller has its turn. */
const TURN = 1024;

/**
 * Runs a job step by step in the calling stack, for pipelines in which nothing is asynchronous: yields after every
 * round over the sources, so that a caller can take results as they come.
 *
 * @param hooks what they return is not waited for: they refuse promises themselves
 * @param turn records per round where there is one source; several take turns, one record each
 */
export function* runSync(
  topology: Topology,
  task: Task,
  readers: readonly PartitionReader[],
  hooks: RunHooks = {},
  turn = TURN,
): Generator<void, void> {
  const opened: Resource[] = [];
  let job: ChainedJob | undefined;
  try {
    job = new ChainedJob(topology, task);
    hooks.created?.(job);
    const active = readersLeft(job, readers);
    for (const resource of resourcesOf(topology.graph, active)) {
      opened.push(resource);
      openNow(resource, task);
    }
    void hooks.opened?.();
    yield* pumpAll(job, active, task, active.length > 1 ? 1 : turn);
    void hooks.finished?.();
  } finally {
    task.stop();
    for (const { reader } of readers) cancelReader(reader, task.options.logger);
    void hooks.stopped?.();
    for (const resource of opened.toReversed())
      closeQuietly(() => resource.close?.(), resource.name, task.options.logger);
    closeOperators(job?.plans ?? [], task.options.logger);
  }
}

function* pumpAll(
  job: ChainedJob,
  readers: readonly PartitionReader[],
  task: Task,
  limit: number,
): Generator<void, void> {
  const active = new Set(
    readers.map((given) => ({ given, reader: given.reader, head: job.head(given.source, given.partition) })),
  );
  job.start(readers);
  task.throwFailure();
  while (active.size > 0) {
    job.announce();
    for (const one of active) {
      const { reader, head } = one;
      const result = reader.pump(head, task, limit);
      task.throwFailure();
      task.takeBreak();
      if (result === 'ended') {
        active.delete(one);
        head.end();
        task.throwFailure();
        job.ended.add(one.given);
        task.takeBreak();
      } else if (result !== 'more') {
        result.then(undefined, () => undefined); // Nobody will wait for it.
        throw task.asyncRefused(reader.name);
      }
    }
    task.resting = true;
    yield;
    task.resting = false;
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
