import { RsError } from '@rs/core';
import { leaseTimes } from '@rs/mq';
import type { Stage, Topology } from '@rs/runtime';
import type { MakeTaskRunner } from '../job/make-task-runner.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { JobLoop } from '../ownership/job-loop.ts';
import type { JobMeeting, JoinReply, MeetReply } from '../ownership/job-meeting.ts';
import { LeaseKeeper } from '../ownership/lease-keeper.ts';
import { type MemberFacts, readFacts, writeFacts } from '../ownership/member-facts.ts';
import type { OwnershipEvents } from '../ownership/ownership-events.ts';
import { StageTasks } from '../ownership/stage-tasks.ts';
import type { HeldLease, TaskLeases } from '../ownership/task-leases.ts';
import type { AcquireReply } from '../store/task-lease.ts';
import type { TaskEnd, TaskRunner, TaskStatus } from '../task/runner.ts';
import { type FakeTime, FakeTimers } from './fake-timers.ts';

export const LEASE = leaseTimes(3_000);
const HEARTBEAT = 1_000;
const TASK = 'source-0';
const MANIFEST = { hash: 'h', text: '{}' };

interface StoredLease {
  readonly token: string;
  readonly owner: string;
  readonly epoch: number;
  until: number;
}

/** What becomes of one call: `lost` never gets there, `no reply` is done and not told, `late` is done after it was given up. */
export type Fault = 'lost' | 'no reply' | 'late' | undefined;

/** What the processes of a job share: leases, members, and what has ended. Each call of theirs takes as long as the test says. */
export class SharedRedis {
  readonly time: FakeTime;
  readonly leases = new Map<number, StoredLease>();
  readonly epochs = new Map<number, number>();
  readonly members = new Map<string, { readonly until: number; readonly facts: string }>();
  readonly ended = new Set<string>();
  manifest: string | undefined = MANIFEST.hash;
  /** Told when a process has become the owner of a task. */
  onAcquired: () => void = () => undefined;
  /** Decides on each call. */
  fate: (what: string, member: string) => { readonly delay?: number; readonly fault?: Fault } = () => ({});

  constructor(time: FakeTime) {
    this.time = time;
  }

  call<T>(process: FakeTimers, member: string, what: string, run: () => T): Promise<T> {
    const { delay = 0, fault } = this.fate(what, member);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        const tell = (): void => process.run(settle);
        if (delay === 0) tell();
        else this.time.at(this.time.now + delay, tell);
      };
      const arrive = (): void => {
        // A process that was killed before its call went out made none.
        if (fault === 'late') this.time.at(this.time.now + 400, () => void run());
        const done = fault === undefined || fault === 'no reply' ? run() : undefined;
        answer(() => {
          if (fault === undefined) resolve(done as T);
          else reject(new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost'));
        });
      };
      if (delay === 0) arrive();
      else this.time.at(this.time.now + delay, arrive);
    });
  }

  acquire(partition: number, token: string, owner: string, ttl: number): AcquireReply {
    const now = this.time.now;
    const held = this.leases.get(partition);
    if (held !== undefined && held.token !== token && held.until > now) {
      return { type: 'busy', left: held.until - now, owner: held.owner };
    }
    const epoch =
      held?.token === token
        ? held.epoch
        : (this.epochs.set(partition, (this.epochs.get(partition) ?? 0) + 1),
          this.epochs.get(partition) ?? 0);
    this.leases.set(partition, { token, owner, epoch, until: now + ttl });
    const stored = {
      ...{ seq: 0, offset: '0-0', count: 0, operators: {}, late: {}, cursors: {} },
      ...{ gen: 'g', until: undefined, ended: false },
    };
    return { type: 'acquired', lease: { token, epoch, now, stored, crashes: 0, started: '' } };
  }

  release(partition: number, token: string): boolean {
    if (this.leases.get(partition)?.token !== token) return false;
    this.leases.delete(partition);
    return true;
  }

  renew(partition: number, token: string, ttl: number): boolean {
    const held = this.leases.get(partition);
    if (held?.token !== token) return false;
    held.until = this.time.now + ttl;
    return true;
  }

  meet(member: string, facts: string, ttl: number, known: number, ends: readonly string[]): MeetReply {
    if (this.manifest === undefined) return { type: 'lost' };
    if (this.manifest !== MANIFEST.hash) return { type: 'other' };
    for (const each of ends) this.ended.add(each);
    const now = this.time.now;
    if (ttl > 0) this.members.set(member, { until: now + ttl, facts });
    else this.members.delete(member);
    for (const [id, { until }] of this.members) if (until <= now) this.members.delete(id);
    const others = [...this.members].filter(([id]) => id !== member).map(([, { until }]) => until - now);
    return {
      type: 'met',
      members: [...this.members].map(([id, each]) => ({ id, ...readFacts(each.facts) })),
      firstExpiry: others.length === 0 ? undefined : Math.min(...others),
      ended: this.ended.size === known ? undefined : [...this.ended],
    };
  }
}

/** A runner that does nothing but hold its lease. */
export class FakeRunner implements TaskRunner {
  readonly place: TaskPlace;
  readonly token: string;
  deadline: number;
  state: TaskStatus['state'] = 'running';
  /** The last thing that it was told. */
  readonly told: string[] = [];
  readonly #process: SimulatedProcess;
  #end: (end: TaskEnd) => void = () => undefined;
  readonly #ended: Promise<TaskEnd>;

  constructor(process: SimulatedProcess, options: Parameters<MakeTaskRunner>[0]) {
    this.#process = process;
    this.place = options.place;
    this.token = options.lease.token;
    this.deadline = options.deadline;
    if (options.paused) this.told.push('paused');
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether it still works, and may for all that it knows. */
  get working(): boolean {
    return this.state === 'running' && this.#process.timers.monotonic() < this.deadline;
  }

  run(): Promise<TaskEnd> {
    return this.#ended;
  }

  renewed(deadline: number): void {
    this.deadline = Math.max(this.deadline, deadline);
  }

  lose(error: RsError): void {
    this.told.push('lost');
    this.#finish({ type: 'lost', error });
  }

  stop({ drain }: { readonly drain: boolean }): void {
    this.told.push(drain ? 'drain' : 'stop');
    if (this.state !== 'running') return;
    this.#process.timers.after(this.#process.stopTakes, () => void this.#release({ type: 'released' }));
  }

  pause(): void {
    this.told.push('pause');
  }

  resume(): void {
    this.told.push('resume');
  }

  /** Its input has ended. */
  finish(): void {
    void this.#release({ type: 'finished' });
  }

  fail(error: RsError): void {
    void this.#release({ type: 'failed', error });
  }

  status(): TaskStatus {
    const { task, topic, partition } = this.place;
    return {
      ...{ task, topic, partition, state: this.state, epoch: 1, offset: '0-0', lag: 0, inFlight: 0 },
      ...{
        watermark: -Infinity,
        watermarks: {},
        lateRecords: {},
        deadLetters: 0,
        lostMessages: 0,
        lastLoss: undefined,
        commits: 0,
        undelivered: {},
        unreplicated: undefined,
        failingSinks: {},
        busyFor: 0,
      },
      lastError: undefined,
    };
  }

  async #release(end: TaskEnd): Promise<void> {
    if (this.state !== 'running') return;
    this.state = 'ended';
    await this.#process.leases.release(this).catch(() => undefined);
    this.#end(end);
  }

  #finish(end: TaskEnd): void {
    if (this.state === 'running') this.state = 'ended';
    this.#end(end);
  }
}

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
