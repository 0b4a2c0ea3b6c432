import { RsError } from '@rs/core';
import type { ChainedJob } from '../driver/chained.ts';
import type { Plan } from '../graph/plan.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import { type JobSnapshot, type OperatorSnapshot, SNAPSHOT_VERSION } from './job-snapshot.ts';
import { partitionCounts } from './partition-counts.ts';

/** A snapshot, with the checkpoint that messages call it by. */
export interface StoredSnapshot {
  readonly checkpointId: number;
  readonly snapshot: JobSnapshot;
}

/** What the job has no operator for, or in other partitions. */
export function placeProblems(job: ChainedJob, snapshot: JobSnapshot): string[] {
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

/** Decodes all states; what it returns puts them in place. */
export function decodeStates(job: ChainedJob, { states }: JobSnapshot): (() => void)[] {
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

export function instanceOf(
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

export function throwIfAny(checkpointId: number, problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new RsError(
    'RS_CHECKPOINT_MISMATCH',
    `checkpoint ${checkpointId} holds what this job has no place for: ${problems.join('; ')}. Give operators and sources the uid that ` +
      'they had (without one the id comes from the place in the graph), declare states when the job is defined or in open, ' +
      'or start without the checkpoint',
    { details: { checkpointId, problems } },
  );
}
