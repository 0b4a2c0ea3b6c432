import type { Logger, MaybePromise } from '@rs/core';
import type { Topology } from '../graph/topology.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import type { AnyReceiver } from '../operator/receiver.ts';
import type { Task } from '../operator/task.ts';
import { isPromise } from '../promise.ts';
import { ChainedJob, readersLeft } from './chained.ts';
import { IdleWatch } from './idle-watch.ts';
import { logCloseError } from '../operator/closing.ts';
import { cancelReader, closeOperators, type Resource, resourcesOf } from './lifecycle.ts';
import type { RunHooks } from './run-hooks.ts';
import type { PartitionReader } from './source-reader.ts';

export interface RunOptions {
  /** Cancels the run: no further record or timer is processed, sources and sinks are closed. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds that closing all sources, and then all sinks, may take at the end; before that, as long again for what the
   * hooks have to end.
   */
  readonly closeTimeout: number;
  readonly hooks?: RunHooks | undefined;
}

/** Records that one source may send before the others have their turn. */
const TURN = 256;
/** Milliseconds of work after which the process's other events have their turn. */
const BREATH = 10;
/** The same in rounds over the sources, for clocks that stand still or are set back. */
const ROUNDS = 1000;
/** What is awaited in place of a close that takes too long. */
const TIMED_OUT = Symbol('timed out');

/** Runs a job to its end, waiting where sources, functions or sinks do. */
export async function runAsync(
  topology: Topology,
  task: Task,
  readers: readonly PartitionReader[],
  options: RunOptions,
): Promise<'finished' | 'cancelled'> {
  const opened: Resource[] = [];
  let job: ChainedJob | undefined;
  let cancelled = false;
  const cancel = () => {
    cancelled ||= !task.failed;
    task.stop();
  };
  const { hooks } = options;
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (options.signal?.aborted === true) return 'cancelled';
    job = new ChainedJob(topology, task);
    hooks?.created?.(job);
    const active = readersLeft(job, readers);
    const stopped = untilStopped(task);
    await openAll(resourcesOf(topology.graph, active), opened, task, stopped);
    if (!task.stopped) await Promise.race([hooks?.opened?.(), stopped]);
    if (!task.stopped) await new SourceLoop(job, task, active).run();
    if (!task.stopped) await Promise.race([hooks?.finished?.(), stopped]);
    task.throwFailure();
  } catch (error) {
    // What fails because the run was cancelled, such as a request that got the same signal, is no failure of the run.
    if (!cancelled) throw error;
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    task.stop();
    for (const { reader } of readers) cancelReader(reader, task.options.logger);
    await endHooks(hooks?.stopped?.(), task, options);
    await closeAll(opened, task, options);
    closeOperators(job?.plans ?? [], task.options.logger);
  }
  return cancelled ? 'cancelled' : 'finished';
}

/** Reads the sources in turns until all have ended, and wakes operators whose time has come. */
class SourceLoop {
  readonly #job: ChainedJob;
  readonly #task: Task;
  readonly #operators: readonly OperatorInstance[];
  readonly #active: Set<PartitionReader>;
  readonly #waiting = new Set<PartitionReader>();
  readonly #idle: IdleWatch;
  #wake: (() => void) | undefined;

  constructor(job: ChainedJob, task: Task, readers: readonly PartitionReader[]) {
    this.#job = job;
    this.#task = task;
    this.#operators = job.plans.flatMap(({ operators }) => operators.map(({ instance }) => instance));
    this.#active = new Set(readers);
    this.#idle = new IdleWatch(job.plans, readers, task.options.clock);
    task.onChange(() => this.#wake?.());
  }

  async run(): Promise<void> {
    const { clock, scheduler } = this.#task.options;
    this.#guard(() => this.#job.start([...this.#active]));
    let lastBreath = clock.now();
    let rounds = 0;
    while (!this.#isOver()) {
      const progressed = await this.#round();
      if (this.#task.stopped) return;
      await this.#advanceTime();
      if (!progressed) await this.#sleep();
      // After a sleep too: a source that is always ready at once ends it before any other event had its turn.
      if (clock.now() - lastBreath < BREATH && ++rounds < ROUNDS) continue;
      await scheduler.breathe();
      lastBreath = clock.now();
      rounds = 0;
    }
  }

  /** Nothing comes any more: the sources have ended and what they led to is done, or the task was stopped. */
  #isOver(): boolean {
    return this.#task.stopped || (this.#active.size === 0 && !this.#task.working);
  }

  /** Invariant: a source sends records only while no promise of an operator is pending. */
  async #round(): Promise<boolean> {
    let progressed = false;
    this.#guard(() => this.#job.announce());
    for (const one of this.#active) {
      if (this.#waiting.has(one)) continue;
      const { source, partition, reader } = one;
      const head = this.#job.head(source, partition);
      const result = this.#guard(() => reader.pump(head, this.#task, TURN)) ?? 'more';
      if (result === 'ended') await this.#end(one, head);
      else if (result !== 'more') this.#waitFor(one, result);
      progressed ||= !this.#waiting.has(one);
      if (this.#task.attention) await this.#settled();
      if (this.#task.stopped) return false;
    }
    return progressed;
  }

  async #end(one: PartitionReader, head: AnyReceiver): Promise<void> {
    this.#active.delete(one);
    this.#idle.setWaiting(one, true);
    await this.#settled();
    if (this.#task.stopped) return;
    this.#guard(() => head.end());
    this.#job.ended.add(one);
  }

  #waitFor(one: PartitionReader, ready: PromiseLike<unknown>): void {
    this.#waiting.add(one);
    this.#idle.setWaiting(one, true);
    const proceed = () => {
      this.#waiting.delete(one);
      this.#idle.setWaiting(one, false);
      this.#wake?.();
    };
    ready.then(proceed, (error: unknown) => {
      this.#task.fail(error);
      proceed();
    });
  }

  /** Fires processing-time timers and idleness that are due on the real clock. */
  async #advanceTime(): Promise<void> {
    // While the driver slept, background work may have led to a promise: timers come after what waits for it.
    await this.#settled();
    const now = this.#task.options.clock.now();
    if (this.#task.options.processingTime === 'clock') {
      for (const instance of this.#operators) {
        const next = instance.nextProcessingTime?.() ?? Infinity;
        if (next > now || this.#task.stopped) continue;
        this.#guard(() => instance.advanceProcessingTime?.(now));
        // What it sent on comes before the timers of the operators behind it, as if nothing were asynchronous.
        await this.#settled();
      }
    }
    // Calls in the background are work like any other: while they run nobody is quiet.
    this.#idle.setBusy(this.#task.working);
    if (!this.#task.stopped && this.#active.size > 0) this.#guard(() => this.#idle.check(now));
    await this.#settled();
  }

  /** Until no promise of an operator is pending and the breaks that were asked for are over, or the task is stopped. */
  async #settled(): Promise<void> {
    if (!this.#task.attention) return;
    this.#idle.setBusy(true);
    await this.#task.settled();
    while (this.#task.breakRequested && !this.#task.stopped) {
      await this.#task.drained();
      this.#guard(() => this.#task.takeBreak());
      await this.#task.settled();
    }
    this.#idle.setBusy(this.#task.working);
  }

  /**
   * Until a source has something, background work has ended, the task is stopped or asked for a break, or an operator's time
   * has come.
   */
  async #sleep(): Promise<void> {
    if (this.#isOver() || this.#task.breakRequested || this.#waiting.size < this.#active.size) return;
    const now = this.#task.options.clock.now();
    const nextCheck = this.#active.size > 0 ? this.#idle.nextCheck(now) : Infinity;
    const until = Math.min(this.#nextTimer(), nextCheck);
    await new Promise<void>((resolve) => {
      const cancel =
        until === Infinity ? undefined : this.#task.options.scheduler.after(until - now, resolve);
      this.#wake = () => {
        cancel?.();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #nextTimer(): number {
    if (this.#task.options.processingTime !== 'clock') return Infinity;
    return Math.min(...this.#operators.map((instance) => instance.nextProcessingTime?.() ?? Infinity));
  }

  /** What is thrown here fails the run, at the place where it looks for failures. */
  #guard<R>(step: () => R): R | undefined {
    try {
      return step();
    } catch (error) {
      this.#task.fail(error);
      return undefined;
    }
  }
}

/** What is awaited beside something that may never end. */
function untilStopped(task: Task): Promise<void> {
  return new Promise<void>((resolve) => {
    task.onChange(() => task.stopped && resolve());
  });
}

/** Opens in order; gives up waiting when the task is stopped. */
async function openAll(
  resources: readonly Resource[],
  opened: Resource[],
  task: Task,
  stopped: Promise<void>,
): Promise<void> {
  for (const resource of resources) {
    opened.push(resource);
    await Promise.race([openOne(resource), stopped]);
    if (task.stopped) return;
  }
}

async function openOne(resource: Resource): Promise<void> {
  try {
    await resource.open?.();
  } catch (error) {
    throw resource.failed(error);
  }
}

/**
 * Closes sources, then sinks. Closing has a hard budget: what never finishes must keep neither the run from ending nor
 * others from closing.
 */
async function closeAll(opened: readonly Resource[], task: Task, options: RunOptions): Promise<void> {
  for (const role of ['source', 'sink'] as const) {
    const resources = opened.filter((resource) => resource.role === role).toReversed();
    if (resources.length > 0) await closeWithin(resources, task, options.closeTimeout);
  }
}

/** What sinks have to end before they are closed has a budget of its own. */
async function endHooks(ending: MaybePromise<void>, task: Task, { closeTimeout }: RunOptions): Promise<void> {
  if (!isPromise(ending)) return;
  await closeWithin([{ name: 'a transaction or checkpoint', close: () => ending }], task, closeTimeout);
}

async function closeWithin(
  resources: readonly Pick<Resource, 'name' | 'close'>[],
  { options: { logger, scheduler } }: Task,
  budget: number,
): Promise<void> {
  let cancelTimer = (): void => undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    cancelTimer = scheduler.after(budget, () => resolve(TIMED_OUT));
  });
  await Promise.all(resources.map((resource) => closeOne(resource, timeout, logger)));
  cancelTimer();
}

async function closeOne(
  resource: Pick<Resource, 'name' | 'close'>,
  timeout: Promise<typeof TIMED_OUT>,
  logger: Logger,
): Promise<void> {
  const { name } = resource;
  try {
    const outcome = await Promise.race([resource.close?.(), timeout]);
    if (outcome === TIMED_OUT) {
      logger.warn({ component: 'runtime', operator: name }, `${name} did not close in time`);
    }
  } catch (error) {
    logCloseError(logger, name, error);
  }
}
