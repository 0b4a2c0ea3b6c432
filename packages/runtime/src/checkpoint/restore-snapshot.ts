import { RsError } from '@rs/core';
import type { ChainedJob } from '../driver/chained.ts';
import type { PartitionReader } from '../driver/source-reader.ts';
import type { Plan } from '../graph/plan.ts';
import type { OperatorInstance, OperatorMeta } from '../operator/operator.ts';
import { loadTimers } from '../time/load-timers.ts';
import type { JobSinks } from './job-sinks.ts';
import { type JobSnapshot, type OperatorSnapshot, SNAPSHOT_VERSION } from './job-snapshot.ts';
import { partitionCounts } from './partition-counts.ts';

/** A snapshot, with the checkpoint that messages call it by. */
export interface StoredSnapshot {
  readonly checkpointId: number;
  readonly snapshot: JobSnapshot;
}

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

/**
 * Replaces the keyed state and the timers of a running job, also while user code of it is on the stack. Time does not go
 * back: watermarks, clocks and the positions of sources stay. State that was not declared yet waits for that.
 *
 * @throws RsError as {@link resumeJob}; nothing was changed then
 */
export function replaceState(job: ChainedJob, { checkpointId, snapshot }: StoredSnapshot): void {
  throwIfAny(checkpointId, placeProblems(job, snapshot));
  const puts = decodeStates(job, snapshot);
  for (const put of puts) put();
  for (const { operators } of job.plans) {
    for (const { instance } of operators) {
      instance.timers?.event.clear();
      instance.timers?.processing.clear();
    }
  }
  for (const operator of snapshot.operators) {
    const instance = instanceOf(job, operator);
    if (instance !== undefined) loadTimers(instance, operator);
  }
}

/** What the job has no operator for, or in other partitions. */
function placeProblems(job: ChainedJob, snapshot: JobSnapshot): string[] {
  if (snapshot.version !== SNAPSHOT_VERSION)
    return [`everything: it was written by another version (${String(snapshot.version)}) of the engine`];
  const counts = partitionCounts(job.topology);
  const problems: string[] = [];
  for (const operator of snapshot.operators) {
    const { id, partitions, event, processing } = operator;
    const hasTimers = event.length + processing.length > 0;
    const now = counts.ofOperator(id);
    if (now !== 0 && now !== partitions) problems.push(partitionProblem(id, partitions, now));
    else if (hasTimers && instanceOf(job, operator)?.timers === undefined) problems.push(`timers of '${id}'`);
  }
  for (const { operator, state, partition, partitions } of snapshot.states) {
    const now = counts.ofState(operator);
    if (now !== 0 && now !== partitions) problems.push(partitionProblem(operator, partitions, now));
    else if (keeperOf(job, operator, partition) === undefined)
      problems.push(`state '${state}' of '${operator}'`);
  }
  return problems;
}

function partitionProblem(id: string, then: number, now: number): string {
  return `'${id}' in ${then} partitions, of which there are ${now} now`;
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

/** Decodes all states; what it returns puts them in place. */
function decodeStates(job: ChainedJob, { states }: JobSnapshot): (() => void)[] {
  return job.plans.map((plan) => {
    const own = states.filter(({ operator, partition }) => keeperOf(job, operator, partition) === plan);
    const instances = new Map(plan.operators.map(({ id, instance }) => [id, instance]));
    return plan.place.store.decodeAll(own, (operator, text) => namespaceOf(instances.get(operator), text));
  });
}

/** An operator whose namespaces are windows also has states with one cell per key. */
function namespaceOf(instance: OperatorInstance | undefined, text: string): string | number {
  return text === '' ? text : (instance?.parseNamespace?.(text) ?? text);
}

/** The plan that keeps the states which are stored under an operator's id. */
function keeperOf({ plans }: ChainedJob, operator: string, partition: number): Plan | undefined {
  const there = plans.filter(({ place }) => place.partition === partition);
  return (
    there.find(({ groups }) => groups.some(({ operatorId }) => operatorId === operator)) ??
    there.find(({ operators }) => operators.some(({ id }) => id === operator))
  );
}

function instanceOf(
  { plans }: ChainedJob,
  { id, partition }: OperatorSnapshot,
): OperatorInstance | undefined {
  for (const { place, operators } of plans) {
    if (place.partition !== partition) continue;
    const operator = operators.find((one) => one.id === id);
    if (operator !== undefined) return operator.instance;
  }
  return undefined;
}

/** The stored facts, with those of a new operator for what was not known then. */
function knownFacts(facts: OperatorMeta, stored: OperatorMeta): OperatorMeta {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, stored[name] ?? fact]));
}

function throwIfAny(checkpointId: number, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new RsError(
    'RS_CHECKPOINT_MISMATCH',
    `checkpoint ${checkpointId} holds what this job has no place for: ${problems.join('; ')}. Give operators and sources the uid that ` +
      'they had (without one the id comes from the place in the graph), declare states when the job is defined or in open, ' +
      'or start without the checkpoint',
    { details: { checkpointId, problems } },
  );
}
