import type { ChainedJob } from '../driver/chained.ts';
import type { PartitionReader } from '../driver/source-reader.ts';
import type { OperatorMeta } from '../operator/operator.ts';
import { loadTimers } from '../time/load-timers.ts';
import type { JobSinks } from './job-sinks.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { decodeStates, instanceOf, placeProblems, type StoredSnapshot, throwIfAny } from './placement.ts';

/**
 * Puts a new job where another was when its snapshot was taken. Its operators were opened, and nothing was fed to them.
 *
 * @throws RsError `RS_CHECKPOINT_MISMATCH`; `RS_INVALID_VALUE` for state that its descriptor cannot decode. The job is of no
 *   use then
 */
export function resumeJob(
  job: ChainedJob,
  readers: readonly PartitionReader[],
  sinks: JobSinks,
  { checkpointId, snapshot }: StoredSnapshot,
): void {
  for (const { groups } of job.plans) for (const group of groups) group.slots();
  const problems = [...placeProblems(job, snapshot), ...inputProblems(job, snapshot)];
  problems.push(...sourceProblems(job, readers, snapshot));
  for (const id of sinks.unclaimed(snapshot.sinks)) problems.push(`transactions of '${id}'`);
  throwIfAny(checkpointId, problems);
  for (const put of decodeStates(job, snapshot)) put();
  throwIfAny(
    checkpointId,
    job.plans.flatMap(({ place }) =>
      place.store.waiting().map(({ operator, state }) => `state '${state}' of '${operator}'`),
    ),
  );
  for (const operator of snapshot.operators) {
    const instance = instanceOf(job, operator);
    if (instance === undefined) continue;
    loadTimers(instance, operator);
    const facts = instance.meta?.();
    if (facts !== undefined) instance.restore?.(knownFacts(facts, operator.meta));
  }
  for (const source of snapshot.sources) {
    const one = readers.find((reader) => isReaderOf(job, reader, source));
    if (one === undefined) continue;
    if (source.ended) job.ended.add(one);
    else one.reader.seek(source.position);
  }
  job.resumed = snapshot.operators.length + snapshot.sources.length > 0;
}

/** Facts about several inputs are of use only to as many. */
function inputProblems(job: ChainedJob, { operators }: JobSnapshot): string[] {
  return operators
    .filter((operator) => {
      const facts = instanceOf(job, operator)?.meta?.() ?? {};
      return Object.entries(facts).some(([name, fact]) => {
        const stored = operator.meta[name];
        return Array.isArray(fact) && stored !== undefined && (stored as unknown[]).length !== fact.length;
      });
    })
    .map(({ id }) => `'${id}' with another number of inputs`);
}

function sourceProblems(
  job: ChainedJob,
  readers: readonly PartitionReader[],
  { sources }: JobSnapshot,
): string[] {
  return sources
    .filter((source) => !readers.some((one) => isReaderOf(job, one, source)))
    .map(({ id, partition, position }) => `position ${position} of partition ${partition} of '${id}'`);
}

function isReaderOf(
  { topology }: ChainedJob,
  { source, partition }: PartitionReader,
  wanted: { readonly id: string; readonly partition: number },
): boolean {
  return partition === wanted.partition && topology.graph.operatorId(source) === wanted.id;
}

/** The stored facts, with those of a new operator for what was not known then. */
function knownFacts(facts: OperatorMeta, stored: OperatorMeta): OperatorMeta {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, stored[name] ?? fact]));
}
