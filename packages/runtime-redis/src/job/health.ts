import { ownValue, type RsError } from '@rs/core';
import type { WaitingCall } from '@rs/redis';
import type { Shares } from '../ownership/member-facts.ts';
import type { StagePlan } from '../ownership/stage-tasks.ts';
import type { TaskStatus } from '../task/runner.ts';
import type { JobHealth, JobState } from './client.ts';
import { type GrownTopic, grownText } from './grown-topics.ts';

/** Milliseconds that Redis may take for a call before something is wrong with it. */
const PATIENCE = 1_000;
/** Milliseconds that a batch may take before it looks as if it would never end. */
const STUCK = 30_000;
const NAMED = 10;

export interface HealthFacts {
  readonly state: JobState;
  readonly failure: RsError | undefined;
  /** Why the other processes could not be met the last time. */
  readonly trouble: unknown;
  /** Partitions without an owner by task; `undefined` before that is known. */
  readonly unowned: Shares | undefined;
  readonly plans: readonly Pick<StagePlan, 'task' | 'topic'>[];
  /** The call of Redis that has waited for the longest time. */
  readonly waiting: WaitingCall | undefined;
  /** Milliseconds for which the job may be out of touch. */
  readonly lease: number;
  /** Why new messages cannot be listened for. */
  readonly deafness: unknown;
  /** Why no replica confirms what results wait for. */
  readonly unreplicated: RsError | undefined;
  /** Partitions that this process should work on and does not. */
  readonly idle: readonly IdlePartition[];
  readonly grown: readonly GrownTopic[];
  readonly tasks: readonly TaskStatus[];
}

export interface IdlePartition {
  readonly topic: string;
  readonly partition: number;
  readonly error: unknown;
}

/** What is wrong with a job, as one process sees it. */
export function healthOf(facts: HealthFacts): JobHealth {
  const { state, failure, trouble, unowned, plans, tasks } = facts;
  const reasons: string[] = [];
  if (failure !== undefined) reasons.push(`the job has failed: ${failure.message}`);
  else if (state === 'cancelled') reasons.push('the job was stopped in this process');
  if (failure === undefined && (state === 'running' || state === 'paused')) {
    reasons.push(...reasonsOf(facts));
    if (trouble !== undefined) reasons.push(`the other processes cannot be met: ${textOf(trouble)}`);
    for (const { task, topic } of plans) {
      const missing = unowned === undefined ? [] : (ownValue(unowned, task) ?? []);
      if (missing.length > 0) reasons.push(`no process owns ${partitionsText(missing)} of topic '${topic}'`);
    }
    if (unowned === undefined) reasons.push('the other processes have not been met yet');
  }
  for (const { topic, partition, failingSinks, busyFor } of tasks) {
    if (busyFor >= STUCK) {
      reasons.push(
        `partition ${partition} of topic '${topic}' has been at one batch for ${Math.floor(busyFor / 1_000)} s: a function may never return`,
      );
    }
    for (const [sink, { message }] of Object.entries(failingSinks))
      reasons.push(
        `sink '${sink}' takes nothing from partition ${partition} of topic '${topic}': ${message}`,
      );
  }
  for (const { topic, partition, state: now, lastError } of tasks) {
    if (now === 'retrying')
      reasons.push(
        `partition ${partition} of topic '${topic}' does not get on: ${lastError?.message ?? 'a record is tried again'}`,
      );
  }
  return { ok: reasons.length === 0, reasons };
}

/** What keeps a job that is running from its work. */
function reasonsOf(facts: HealthFacts): readonly string[] {
  const { waiting, lease, deafness, idle, grown } = facts;
  const reasons: string[] = [];
  if (waiting !== undefined && waiting.waited >= Math.min(PATIENCE, lease / 3)) {
    const { name, waited, error } = waiting;
    const why = error === undefined ? '' : `: ${error.message}`;
    reasons.push(`Redis has not done ${name} for ${(waited / 1_000).toFixed(1)} s${why}`);
  }
  if (deafness !== undefined)
    reasons.push(`new messages cannot be waited for, and are found late: ${textOf(deafness)}`);
  reasons.push(...unreplicatedReasons(facts));
  for (const { topic, partition, error } of idle)
    reasons.push(
      `partition ${partition} of topic '${topic}' is not worked on by this process: ${textOf(error)}`,
    );
  return [...reasons, ...grown.map(grownText)];
}

/** With `deliverAfter: 'replicated'`: results that are ready and wait for longer than a replica needs. */
function unreplicatedReasons({ tasks, unreplicated }: HealthFacts): readonly string[] {
  const waiting = tasks.flatMap((task) => task.unreplicated ?? []);
  const waited = Math.max(0, ...waiting.map((each) => each.waited));
  if (waited < PATIENCE) return [];
  const results = waiting.reduce((sum, each) => sum + each.results, 0);
  const why = unreplicated === undefined ? '' : `: ${unreplicated.message}`;
  const [what, them] = results === 1 ? ['result has', 'it'] : ['results have', 'them'];
  return [
    `${results} ${what} waited for up to ${(waited / 1_000).toFixed(1)} s until a replica of Redis has ${them}${why}`,
  ];
}

function partitionsText(partitions: readonly number[]): string {
  const named = partitions.slice(0, NAMED).join(', ');
  const more = partitions.length > NAMED ? ` and ${partitions.length - NAMED} more` : '';
  return `${partitions.length === 1 ? 'partition' : 'partitions'} ${named}${more}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
