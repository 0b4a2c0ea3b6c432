import { jsonCodec } from '@rs/core';
import { JobSinks } from '../checkpoint/job-sinks.ts';
import { checkpointOf, snapshotIn, newCheckpoint } from '../checkpoint/checkpoint.ts';
import { resumeJob } from '../checkpoint/resume-job.ts';
import { takeSnapshot } from '../checkpoint/take-snapshot.ts';
import type { JobSnapshot } from '../checkpoint/job-snapshot.ts';
import { ChainedJob } from '../driver/chained.ts';
import type { PartitionReader } from '../driver/source-reader.ts';
import type { LogicalGraph } from '../graph/graph.ts';
import type { PartitionsOf } from '../graph/partitions.ts';
import { planTopology } from '../graph/topology.ts';
import { deliver, itemReceiver } from '../operator/stream-item.ts';
import type { HarnessItem, HarnessResult } from '../testing/index.ts';
import { newTask } from './new-task.ts';

export interface ResumedRun {
  readonly partitionsOf?: PartitionsOf;
  /** Before which items a new job takes over with what the one before has kept. */
  readonly cuts: ReadonlySet<number>;
}

/** Feeds items to a job whose process ends now and then; the next one goes on from what was stored. */
export async function runResumed(
  makeGraph: () => LogicalGraph,
  items: readonly HarnessItem[],
  { partitionsOf = () => 1, cuts }: ResumedRun,
): Promise<HarnessResult> {
  const outputs: HarnessResult['outputs'][number][] = [];
  const late: Record<string, number> = {};
  let snapshot: JobSnapshot | undefined;
  for (let from = 0; from < items.length;) {
    const cut = [...cuts].filter((at) => at > from).toSorted((a, b) => a - b)[0];
    const part = items.slice(from, cut);
    const read = new Set(items.filter(({ type }) => type === 'record').map(placeOf));
    snapshot = await runPart(makeGraph(), part, partitionsOf, snapshot, { outputs, late, read });
    from += part.length;
  }
  return { outputs, late };
}

interface Results {
  readonly outputs: HarnessResult['outputs'][number][];
  readonly late: Record<string, number>;
  /** The partitions of sources that have something to read. */
  readonly read: ReadonlySet<string>;
}

/** Which partition of which source an item is of. */
function placeOf({ input, partition = 0 }: { readonly input: number; readonly partition?: number }): string {
  return `${input}/${partition}`;
}

async function runPart(
  graph: LogicalGraph,
  items: readonly HarnessItem[],
  partitionsOf: PartitionsOf,
  before: JobSnapshot | undefined,
  { outputs, late, read }: Results,
): Promise<JobSnapshot> {
  const task = newTask({ mode: 'async' });
  task.onLate = ({ operator }) => {
    late[operator] = (late[operator] ?? 0) + 1;
  };
  const job = new ChainedJob(planTopology(graph, partitionsOf), task, (node) =>
    itemReceiver((item) => {
      if (item.type !== 'record') return;
      outputs.push({ sink: graph.operatorId(node), value: item.value, timestamp: item.timestamp });
    }),
  );
  const readers = readersOf(graph, partitionsOf, read);
  if (before !== undefined)
    resumeJob(job, readers, new JobSinks(job, task), { checkpointId: 1, snapshot: before });
  job.start(readers);
  job.announce();
  for (const item of items) {
    const source = graph.sources[item.input];
    if (source === undefined) throw new Error(`the job has no source ${item.input}`);
    deliver(job.head(source, item.partition ?? 0), item);
    await task.settled();
    task.throwFailure();
  }
  await task.drained();
  task.throwFailure();
  return throughStorage(takeSnapshot(job, readers, []));
}

/** What is left of a snapshot when it was written and read. */
export function throughStorage(snapshot: JobSnapshot): JobSnapshot {
  const stored = checkpointOf(1, 0, snapshot);
  const codec = jsonCodec<unknown>();
  const parts = new Map(
    stored.getKeys().map((name) => [name, codec.decode(codec.encode(stored.getState(name)))] as const),
  );
  return snapshotIn(newCheckpoint({ checkpointId: 1, timestamp: 0, parts }));
}

function readersOf(
  graph: LogicalGraph,
  partitionsOf: PartitionsOf,
  read: ReadonlySet<string>,
): PartitionReader[] {
  return graph.sources.flatMap((source, input) =>
    Array.from({ length: partitionsOf(source) }, (_, partition) => ({
      source,
      partition,
      reader: {
        name: source.name,
        ready: () => read.has(placeOf({ input, partition })),
        position: () => 0,
        seek: () => undefined,
        pump: () => 'ended' as const,
      },
    })),
  );
}
