import type { RsError } from '@rs/core';
import type { TaskRunnerOptions } from '../job/make-task-runner.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { LostMessages } from '../store/lost-messages.ts';
import type { TaskCommit } from '../store/task-commit.ts';
import { TaskStore } from '../store/task-store.ts';
import { asRsError, failureKind } from './failure.ts';
import { openTask } from './open-task.ts';
import type { TaskEnd, TaskRunner, TaskStatus } from './runner.ts';
import type { RunningTask } from './running-task.ts';
import { TaskControl } from './task-control.ts';
import type { TaskHost } from './task-host.ts';
import { smallest, watermarksOf } from './watermarks-of.ts';

/** Milliseconds that a batch under way may take to end by itself when the task is wanted elsewhere. Then it is undone. */
const GRACE = 500;
/** Milliseconds between two attempts to open a task. */
const PAUSE = { first: 50, longest: 1_000 } as const;

/** The work on one task, from the lease to its end. What is done in between is that of `TaskWork`. */
export class RedisTaskRunner implements TaskRunner {
  readonly place: TaskPlace;
  readonly token: string;
  readonly #host: TaskHost;
  readonly #options: TaskRunnerOptions;
  readonly #control: TaskControl;
  #deadline: number;
  #task: RunningTask | undefined;
  #end: TaskEnd | undefined;
  #lastError: RsError | undefined;
  #deadLetters = 0;
  #lostMessages = 0;
  #lastLoss: LostMessages | undefined;
  #commits = 0;
  /** Where the last commit that was answered has left the task. */
  #committed: Pick<TaskCommit, 'offset' | 'count' | 'late' | 'operators'> | undefined;
  /** Takes back the end of the time that a batch under way has. */
  #endGrace: (() => void) | undefined;

  constructor(host: TaskHost, options: TaskRunnerOptions) {
    this.place = options.place;
    this.token = options.lease.token;
    this.#host = host;
    this.#options = options;
    this.#deadline = options.deadline;
    this.#control = new TaskControl(host.settings.timers, options.paused);
  }

  get deadline(): number {
    return this.#deadline;
  }

  async run(): Promise<TaskEnd> {
    try {
      this.#task = await this.#open();
      this.#end = this.#task === undefined ? await this.#notOpened() : await this.#task.run();
    } catch (error) {
      this.#end = await this.#failed(error);
    }
    this.#endGrace?.();
    if (this.#end.type === 'lost' || this.#end.type === 'failed') this.#lastError = this.#end.error;
    return this.#end;
  }

  renewed(deadline: number): void {
    this.#deadline = Math.max(this.#deadline, deadline);
  }

  lose(error: RsError): void {
    this.#control.lose(error);
    // Functions under way are told by the signals of their calls; they can have no effect any more.
    this.#task?.abandon();
  }

  stop(options: { readonly drain: boolean }): void {
    this.#control.requestStop(options);
    // A function that never ends must not keep the task from everybody else.
    if (!options.drain) this.#endGrace ??= this.#host.settings.timers.after(GRACE, () => this.#task?.undo());
  }

  pause(): void {
    this.#control.setPaused(true);
  }

  resume(): void {
    this.#control.setPaused(false);
  }

  status(): TaskStatus {
    const { lease } = this.#options;
    const { task, topic, partition } = this.place;
    const parts = this.#task?.parts;
    const watermarks = watermarksOf(this.#committed?.operators ?? lease.stored.operators);
    return {
      task,
      topic,
      partition,
      state: this.#state(),
      epoch: lease.epoch,
      offset: this.#committed?.offset ?? lease.stored.offset,
      lag: parts?.mirror.lag,
      inFlight: parts === undefined ? 0 : parts.queue.entriesFrom((this.#committed ?? lease.stored).count),
      busyFor: parts?.work.calling ?? 0,
      watermark: smallest(watermarks),
      watermarks,
      lateRecords: this.#committed?.late ?? lease.stored.late,
      deadLetters: this.#deadLetters,
      lostMessages: this.#lostMessages,
      lastLoss: this.#lastLoss,
      commits: this.#commits,
      undelivered: parts?.outputs.undelivered() ?? {},
      unreplicated: parts?.outputs.unreplicated(),
      failingSinks: parts?.outputs.failures() ?? {},
      lastError: this.#lastError,
    };
  }

  #state(): TaskStatus['state'] {
    if (this.#end !== undefined) return this.#end.type === 'finished' ? 'finished' : 'ended';
    if (this.#task === undefined) return 'opening';
    if (this.#task.parts.work.retrying || this.#control.troubled) return 'retrying';
    return this.#control.paused ? 'paused' : 'running';
  }

  /** Tried until it works, the task is lost, or nobody wants it any more: then `undefined`. */
  async #open(): Promise<RunningTask | undefined> {
    const { events } = this.#host;
    for (let pause: number = PAUSE.first; ; pause = Math.min(pause * 2, PAUSE.longest)) {
      if (this.#control.lost !== undefined || this.#control.stop !== undefined) return undefined;
      try {
        const opening = openTask(this.#host, {
          ...this.#options,
          control: this.#control,
          renewed: (deadline) => this.renewed(deadline),
          onCommitted: (commit) => {
            this.#committed = commit;
            this.#commits++;
          },
          onFailure: (error, attempts, work) => {
            this.#lastError = error;
            events.failed(this.place, error, attempts, work);
          },
          onLost: (lost) => {
            this.#lostMessages += lost.count ?? 0;
            this.#lastLoss = lost;
            events.messagesLost(this.place, lost);
          },
          onDead: (dead) => {
            this.#deadLetters++;
            this.#lastError = asRsError(dead.error, 'it was given up');
            events.dead(this.place, dead);
          },
        });
        const task = await Promise.race([opening, this.#control.ending]);
        // Nobody waits for Redis any more; what comes of it has no owner.
        if (task === undefined) void opening.then((late) => late.abandon()).catch(() => undefined);
        return task;
      } catch (error) {
        if (failureKind(error, false) !== 'redis') throw error;
        this.#lastError = asRsError(error, 'the task could not be opened');
        events.failed(this.place, this.#lastError, 1);
        await this.#control.sleep(pause);
      }
    }
  }

  async #notOpened(): Promise<TaskEnd> {
    const { lost } = this.#control;
    if (lost !== undefined) return { type: 'lost', error: lost };
    await this.#release();
    return { type: 'released' };
  }

  /** It could not be opened, or there is a bug. */
  async #failed(error: unknown): Promise<TaskEnd> {
    const { lost } = this.#control;
    if (lost !== undefined) return { type: 'lost', error: lost };
    // Somebody else has acquired it while it was being opened.
    if (failureKind(error, false) === 'lost')
      return { type: 'lost', error: asRsError(error, 'the task was lost') };
    await this.#release();
    return { type: 'failed', error: asRsError(error, 'the task cannot go on') };
  }

  async #release(): Promise<void> {
    try {
      await new TaskStore({ client: this.#host.client, place: this.place, token: this.token }).release();
    } catch (error) {
      this.#host.events.unreleased(this.place, asRsError(error, 'the lease could not be given back'));
    }
  }
}
