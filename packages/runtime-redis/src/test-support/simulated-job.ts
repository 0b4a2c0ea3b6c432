import type { RsError } from '@rs/core';
import { leaseTimes } from '@rs/mq';
import type { Stage, Topology } from '@rs/runtime';
import type { TaskPlace } from '../keys/task-place.ts';
import { JobLoop } from '../ownership/job-loop.ts';
import type { JobMeeting, JoinReply } from '../ownership/job-meeting.ts';
import { LeaseKeeper } from '../ownership/lease-keeper.ts';
import { type MemberFacts, writeFacts } from '../ownership/member-facts.ts';
import type { OwnershipEvents } from '../ownership/ownership-events.ts';
import { StageTasks } from '../ownership/stage-tasks.ts';
import type { HeldLease, TaskLeases } from '../ownership/task-leases.ts';
import { FakeRunner } from './fake-runner.ts';
import { FakeTimers } from './fake-timers.ts';
import { MANIFEST, type SharedRedis } from './shared-redis.ts';

export const LEASE = leaseTimes(3_000);
const HEARTBEAT = 1_000;
const TASK = 'source-0';

export interface ProcessOptions {
  readonly partitions: number;
  readonly bounded?: boolean;
  readonly maxPartitions?: number;
}

/** One process of a job: the real loop, tasks and keeper, over what is simulated. */
export class SimulatedProcess {
  readonly name: string;
  readonly timers: FakeTimers;
  readonly leases: TaskLeases;
  readonly tasks: StageTasks;
  readonly loop: JobLoop;
  readonly keeper: LeaseKeeper;
  readonly runners: FakeRunner[] = [];
  readonly events: string[] = [];
  /** Milliseconds that a runner takes to stop. */
  stopTakes = 0;
  finished = false;
  expelled: RsError | undefined;
  failure: RsError | undefined;
  #tokens = 0;

  constructor(
    redis: SharedRedis,
    name: string,
    { partitions, bounded = false, maxPartitions = Infinity }: ProcessOptions,
  ) {
    this.name = name;
    this.timers = new FakeTimers(redis.time);
    const call = <T>(what: string, run: () => T): Promise<T> => redis.call(this.timers, name, what, run);
    this.leases = {
      acquire: (place, { token, owner, ttl }) =>
        call('acquire', () => redis.acquire(place.partition, token, owner, ttl)),
      release: ({ place, token }) => call('release', () => redis.release(place.partition, token)),
      renew: (leases: readonly HeldLease[], ttl) =>
        call('renew', () => leases.map(({ place, token }) => redis.renew(place.partition, token, ttl))),
    };
    const meeting: Pick<JobMeeting, 'attend' | 'join' | 'leave'> = {
      attend: (said: MemberFacts, _hash, known, ends) =>
        call('meet', () => redis.meet(name, writeFacts(said), LEASE.stored, known, ends)),
      join: (own) =>
        call('join', (): JoinReply => {
          redis.manifest ??= own.hash;
          return redis.manifest === own.hash ? { type: 'joined', ends: '{}' } : { type: 'changed' };
        }),
      leave: async (_hash, ends) => {
        await call('leave', () => redis.meet(name, '', 0, 0, ends));
      },
    };
    const { events } = this;
    const note =
      (what: string) =>
      (place: TaskPlace): void =>
        void events.push(`${what} ${place.partition}`);
    const told: OwnershipEvents = {
      acquired: (place) => {
        events.push(`acquired ${place.partition}`);
        redis.onAcquired();
      },
      released: note('released'),
      lost: note('lost'),
      finished: (place) => {
        events.push(`finished ${place.partition}`);
        this.loop.noteEnded(place.task, place.partition);
      },
      failed: note('failed'),
      unreleased: note('unreleased'),
      trouble: note('trouble'),
      meetingFailed: () => void events.push('not met'),
    };
    this.keeper = new LeaseKeeper({
      topology: 'single',
      leases: this.leases,
      times: LEASE,
      timers: this.timers,
      onTrouble: () => void events.push('not renewed'),
    });
    this.tasks = new StageTasks({
      plan: {
        ...{ task: TASK, topic: 'orders', group: 'g', partitions },
        stage: { index: 0, partitions, nodes: [], sources: [], received: [], sent: [] } satisfies Stage,
        placeOf: (partition) => ({
          ...{ prefix: 'rs', job: 'j', task: TASK, topic: 'orders', group: 'g' },
          ...{ partition, topicShards: partitions, stateShards: 1 },
        }),
        untilOf: () => (bounded ? '9-0' : undefined),
      },
      member: name,
      leases: this.leases,
      times: LEASE,
      keeper: this.keeper,
      timers: this.timers,
      newToken: () => `${name}.${++this.#tokens}`,
      parallelism: Infinity,
      topology: NO_TOPOLOGY,
      makeRunner: (options) => {
        const runner = new FakeRunner(this, options);
        this.runners.push(runner);
        return runner;
      },
      events: told,
      onChange: () => this.loop.notify(),
      onFailed: (_, error) => {
        this.failure = error;
      },
    });
    this.loop = new JobLoop({
      ...{
        job: 'j',
        meeting,
        manifest: MANIFEST,
        ends: '{}',
        member: name,
        stages: [this.tasks],
        maxPartitions,
      },
      ...{ heartbeat: HEARTBEAT, timers: this.timers, random: () => 0.5, events: told },
      onFinished: () => {
        this.finished = true;
      },
      onExpelled: (error) => {
        this.expelled = error;
      },
      onChange: () => undefined,
    });
  }

  /** The runners that work, by partition. */
  get working(): ReadonlyMap<number, FakeRunner> {
    return new Map(
      this.runners
        .filter(({ working }) => working && !this.timers.dead)
        .map((runner) => [runner.place.partition, runner]),
    );
  }

  /** As a job that is stopped in this process. */
  async leave(): Promise<void> {
    const looping = this.loop.stop();
    await Promise.all([looping, this.tasks.close({ drain: false })]);
    this.keeper.close();
    await this.loop.leave().catch(() => undefined);
  }
}

/** Runners of a simulation look at no operators. */
const NO_TOPOLOGY: Topology = {
  graph: {
    ...{ nodes: [], sources: [], sinks: [], readersOf: () => [], tagsOf: () => [] },
    operatorId: () => '',
  },
  partitions: { of: () => 1, after: () => 1, moves: () => false },
  partitionsOf: () => 1,
  stages: [],
};
