import type { RsError } from '@rs/core';
import type { RuntimeSettings } from '../options/settings.ts';
import type { JobMember } from '../ownership/job-meeting.ts';
import type { StageTasks } from '../ownership/stage-tasks.ts';
import type { JobDiagnostics, JobHealth, JobState } from './client.ts';

export interface DiagnosticsFacts {
  readonly settings: RuntimeSettings;
  readonly member: string;
  readonly state: JobState;
  readonly failure: RsError | undefined;
  readonly health: JobHealth;
  readonly members: readonly JobMember[];
  readonly stages: readonly StageTasks[];
}

/** How a job is doing, as one process sees it. */
export function diagnosticsOf(facts: DiagnosticsFacts): JobDiagnostics {
  const { settings, member, state, failure, health, members, stages } = facts;
  const running = stages.flatMap(({ runners }) => runners);
  return {
    jobName: settings.jobName,
    jobInstanceId: member,
    state,
    error: failure,
    health,
    members: members.map(({ id }) => id),
    pipelineParallelism: settings.parallelism,
    liveParallelism: stages.reduce((sum, { owned }) => sum + Math.min(owned.length, settings.parallelism), 0),
    watermarkOutOfOrdernessMs: settings.watermark.outOfOrderness,
    windowAllowedLatenessMs: settings.windowAllowedLateness,
    inFlight: running.reduce((sum, runner) => sum + runner.status().inFlight, 0),
    runnerCount: running.length,
    pipelines: stages.map(({ plan: { task, topic, group, partitions }, owned, ended }) => ({
      source: task,
      topic,
      consumerGroup: group,
      partitions,
      owned: ascending(owned),
      ended: ascending(ended),
    })),
    tasks: stages.flatMap(({ statuses }) => statuses),
  };
}

function ascending(partitions: Iterable<number>): readonly number[] {
  return [...partitions].sort((a, b) => a - b);
}
