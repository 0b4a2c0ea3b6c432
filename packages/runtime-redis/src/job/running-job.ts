import { checkObject, type Duration, RsError, type StateDescriptor } from '@rs/core';
import {
  abortable,
  checkChoice,
  checkKnown,
  checkSignal,
  type CloseOptions,
  closeTimeout,
  waitSignal,
  type WaitOptions,
} from '@rs/mq';
import type { RedisClient } from '@rs/redis';
import type { StoredStateOf, Topology } from '@rs/runtime';
import { channels } from '../diagnostics/channels.ts';
import { ownershipEvents } from '../diagnostics/ownership-events.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import type { JobMeeting, StoredManifest } from '../ownership/job-meeting.ts';
import { JobLoop } from '../ownership/job-loop.ts';
import { LeaseKeeper } from '../ownership/lease-keeper.ts';
import { type StagePlan, StageTasks } from '../ownership/stage-tasks.ts';
import type { TaskStatus } from '../task/runner.ts';
import { awaitOptions } from './await-options.ts';
import { Changes } from './changes.ts';
import type {
  AwaitOptions,
  JobDiagnostics,
  JobHealth,
  JobState,
  RedisJobClient,
  StopOptions,
  StopReport,
} from './client.ts';
import { diagnosticsOf } from './diagnostics-of.ts';
import type { GrownTopics } from './grown-topics.ts';
import { healthOf } from './health.ts';
import type { JobEngine } from './job-engine.ts';
import { lateRecords } from './late-records.ts';
import { queryState } from './query-state.ts';
import { within } from './within.ts';

export interface RunningJobParts {
  readonly settings: RuntimeSettings;
  readonly client: RedisClient;
  readonly engine: JobEngine;
  readonly topology: Topology;
  readonly plans: readonly StagePlan[];
  readonly meeting: JobMeeting;
  readonly manifest: StoredManifest;
  /** Where bounded sources end, as it is written down. */
  readonly ends: string;
  readonly member: string;
  readonly grown: GrownTopics;
}

/** Part of the time for stopping after which what has not been drained is undone. */
const PATIENCE = 0.8;
/** What remains after the time for stopping to give leases back, and to say good-bye. */
const LAST_WORDS = 400;
/** A task tells nobody when it has been opened. */
const LOOK_AGAIN = 20;

type Ending = 'cancelled' | 'finished' | 'failed';

/** One process's part of a job, from its first meeting to its end. */
export class RunningJob implements RedisJobClient {
  readonly #parts: RunningJobParts;
  readonly #changes: Changes;
  readonly #keeper: LeaseKeeper;
  readonly #stages: readonly StageTasks[];
  readonly #loop: JobLoop;
  /** Tells subscribers which events belong together. */
  readonly #job: Readonly<Record<string, string>>;
  #paused = false;
  #failure: RsError | undefined;
  #ending: Promise<StopReport> | undefined;
  #ended: Ending | undefined;

  constructor(parts: RunningJobParts) {
    this.#parts = parts;
    const { settings, client, engine, topology, plans, meeting, manifest, ends, member } = parts;
    const {
      timers,
      random,
      ids,
      lease: times,
      heartbeat,
      maxPartitions,
      parallelism,
      logger,
      jobName,
    } = settings;
    const events = ownershipEvents(logger);
    const { leases, makeRunner } = engine;
    this.#job = Object.freeze({ engine: 'redis', name: jobName, member });
    this.#changes = new Changes(timers);
    this.#keeper = new LeaseKeeper({
      topology: client.topology,
      leases,
      times,
      timers,
      onTrouble: (error) => logger.warn({ job: jobName, error }, 'leases could not be renewed; trying again'),
    });
    this.#stages = plans.map(
      (plan) =>
        new StageTasks({
          plan,
          member,
          leases,
          times,
          keeper: this.#keeper,
          timers,
          newToken: ids,
          parallelism,
          makeRunner,
          topology,
          events: {
            ...events,
            finished: (place) => {
              events.finished(place);
              this.#loop.noteEnded(place.task, place.partition);
            },
          },
          onChange: () => {
            this.#loop.notify();
            this.#changes.notify();
          },
          onFailed: (_, error) => this.#fail(error),
        }),
    );
    this.#loop = new JobLoop({
      job: jobName,
      meeting,
      manifest,
      ends,
      member,
      stages: this.#stages,
      maxPartitions,
      heartbeat,
      timers,
      random,
      events,
      onFinished: () => void this.#end('finished', { drain: false, timeout: settings.closeTimeout }),
      onExpelled: (error) => this.#fail(error),
      onChange: () => this.#changes.notify(),
    });
  }

  /** Fulfilled when this process has asked for its tasks once. @throws what the first meeting throws */
  async begin(): Promise<void> {
    const { graph } = this.#parts.topology;
    channels.jobStarted.publish({
      job: this.#job,
      operators: graph.nodes.map((node) => graph.operatorId(node)),
    });
    try {
      await this.#loop.begin();
      this.#parts.grown.start();
    } catch (error) {
      channels.jobFailed.publish({ job: this.#job, error });
      throw error;
    }
  }

  get jobName(): string {
    return this.#parts.settings.jobName;
  }

  get jobInstanceId(): string {
    return this.#parts.member;
  }

  get state(): JobState {
    if (this.#ended !== undefined) return this.#ended;
    if (this.#ending !== undefined) return 'stopping';
    return this.#paused ? 'paused' : 'running';
  }

  async cancel(options: CloseOptions = {}): Promise<StopReport> {
    return this.#cancel(options, 'cancel');
  }

  async close(options: CloseOptions = {}): Promise<StopReport> {
    return this.#cancel(options, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cancel();
  }

  async stop(options: StopOptions = {}): Promise<StopReport> {
    checkObject(options, 'stop: options');
    checkKnown(options, ['drain', 'timeout', 'signal'], 'stop');
    const { drain = true, timeout, signal } = options;
    checkChoice(drain, [true, false], 'stop: drain');
    checkSignal(signal, 'stop');
    const limit = closeTimeout({ timeout }, this.#parts.settings.closeTimeout, 'stop');
    return abortable(this.#end('cancelled', { drain, timeout: limit }), signal);
  }

  pause(): void {
    if (this.#ending !== undefined) return;
    this.#paused = true;
    for (const stage of this.#stages) stage.pause();
  }

  resume(): void {
    if (this.#ending !== undefined) return;
    this.#paused = false;
    for (const stage of this.#stages) stage.resume();
  }

  inFlight(): number {
    return this.#tasks().reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  health(): JobHealth {
    const { trouble, unowned } = this.#loop;
    return healthOf({
      state: this.state,
      failure: this.#failure,
      trouble,
      unowned,
      plans: this.#parts.plans,
      tasks: this.#tasks(),
      waiting: this.#parts.client.waiting(),
      lease: this.#parts.settings.lease.ttl,
      deafness: this.#parts.engine.deafness(),
      unreplicated: this.#parts.engine.unreplicated(),
      idle: this.#stages.flatMap(({ plan: { topic }, idle }) =>
        [...idle].map(([partition, error]) => ({ topic, partition, error })),
      ),
      grown: this.#parts.grown.grown,
    });
  }

  diagnostics(): JobDiagnostics {
    return diagnosticsOf({
      settings: this.#parts.settings,
      member: this.#parts.member,
      state: this.state,
      failure: this.#failure,
      health: this.health(),
      members: this.#loop.members,
      stages: this.#stages,
    });
  }

  async awaitTermination(options: Duration | AwaitOptions = {}): Promise<boolean> {
    const ended = await this.#changes.until(() => this.#ended !== undefined, awaitOptions(options));
    if (ended && this.#failure !== undefined) throw this.#failure;
    return ended;
  }

  async ready(options: WaitOptions = {}): Promise<void> {
    const signal = waitSignal(options, 'ready');
    await this.#changes.until(() => this.#isReady(), { signal, every: LOOK_AGAIN });
  }

  async queryState<D extends StateDescriptor>(
    uid: string,
    state: D,
    key: unknown,
    options: WaitOptions = {},
  ): Promise<StoredStateOf<D>> {
    const signal = waitSignal(options, 'queryState');
    const { client, topology, plans, settings } = this.#parts;
    const { schemaMismatch } = settings;
    return abortable(queryState({ client, topology, plans, schemaMismatch }, uid, state, key), signal);
  }

  #cancel(options: CloseOptions, what: string): Promise<StopReport> {
    const timeout = closeTimeout(options, this.#parts.settings.closeTimeout, what);
    return this.#end('cancelled', { drain: false, timeout });
  }

  #isReady(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended === 'finished') return true;
    if (this.#ending !== undefined && !this.#loop.finished) {
      throw new RsError('RS_CLOSED', `job '${this.jobName}' was stopped before it was ready`);
    }
    const { unowned } = this.#loop;
    if (unowned === undefined || Object.values(unowned).some(({ length }) => length > 0)) return false;
    return this.#tasks().every(({ state }) => state !== 'opening');
  }

  #tasks(): readonly TaskStatus[] {
    return this.#stages.flatMap(({ runners }) => runners.map((runner) => runner.status()));
  }

  #fail(error: RsError): void {
    if (this.#failure !== undefined || this.#ended !== undefined) return;
    this.#failure = error;
    void this.#end('failed', { drain: false, timeout: this.#parts.settings.closeTimeout });
  }

  /** The first one decides how it ends; never rejected. */
  #end(ending: Ending, options: { readonly drain: boolean; readonly timeout: number }): Promise<StopReport> {
    this.#ending ??= this.#shutDown(ending, options);
    // Who cancels does not wait for what a stop that came before would still drain.
    if (!options.drain) this.#hurry();
    // The state of a job that has finished can be asked for until somebody closes it.
    return this.#ending.finally(() => (ending === 'finished' ? undefined : this.#parts.client.close()));
  }

  /**
   * Invariant: ends within the timeout and what is left for last words, whatever functions, sinks and Redis do. Tasks that have not ended
   * by then have lost the connections that they would commit by.
   */
  async #shutDown(
    ending: Ending,
    { drain, timeout }: { readonly drain: boolean; readonly timeout: number },
  ): Promise<StopReport> {
    const { settings, engine, client } = this.#parts;
    const { timers } = settings;
    const deadline = timers.monotonic() + timeout;
    const left = (): number => Math.max(0, deadline - timers.monotonic());
    this.#parts.grown.stop();
    const looping = this.#loop.stop();
    const closing = Promise.all(this.#stages.map((stage) => stage.close({ drain })));
    if (!drain || !(await within(timers, timeout * PATIENCE, closing))) this.#hurry();
    await within(timers, left(), Promise.all([looping, closing]));
    const drained =
      ending === 'finished' || (this.#failure === undefined && this.#stages.every((stage) => stage.drained));
    const leaving = [...this.#stages.map((stage) => stage.giveBack()), this.#loop.leave(), engine.close()];
    await within(timers, left() + LAST_WORDS, Promise.all(leaving));
    const unreleased = this.#stages.reduce((sum, stage) => sum + stage.unreleased, 0);
    this.#keeper.close();
    if (ending !== 'finished') await client.close();
    this.#ended = this.#failure === undefined ? ending : 'failed';
    this.#tell(this.#ended);
    this.#changes.notify();
    return { unreleased, drained };
  }

  #hurry(): void {
    for (const stage of this.#stages) stage.hurry();
  }

  #tell(ending: Ending): void {
    const job = this.#job;
    if (ending === 'failed') channels.jobFailed.publish({ job, error: this.#failure });
    else {
      const metrics = lateRecords(
        this.#stages.flatMap(({ statuses }) => statuses.map((status) => status.lateRecords)),
      );
      channels.jobFinished.publish({ job, status: ending, metrics });
    }
  }
}
