import type { Logger } from '@rs/core';
import type { LogicalGraph } from '../graph/graph.ts';
import type { GraphNode } from '../graph/node.ts';
import { instantiate, type Plan } from '../graph/plan.ts';
import { type AnyReceiver, NOWHERE } from '../operator/receiver.ts';
import { SinkOperator } from '../operator/sink.ts';
import type { Task } from '../operator/task.ts';
import { IdleWatch } from './idle-watch.ts';
import { logCloseError } from '../operator/closing.ts';
import { cancelReader, closeOperators, type Resource, resourcesOf } from './lifecycle.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { SourceReader } from './source-reader.ts';

export interface RunOptions {
  readonly scheduler: Scheduler;
  /** Cancels the run: no further record or timer is processed, sources and sinks are closed. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that closing all sources, and then all sinks, may take at the end. */
  readonly closeTimeout: number;
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
  graph: LogicalGraph,
  task: Task,
  readers: ReadonlyMap<GraphNode, SourceReader>,
  options: RunOptions,
): Promise<'finished' | 'cancelled'> {
  const opened: Resource[] = [];
  let plan: Plan | undefined;
  let cancelled = false;
  const cancel = () => {
    cancelled ||= !task.failed;
    task.stop();
  };
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (options.signal?.aborted === true) return 'cancelled';
    plan = instantiate(graph, task, { sink: (node, gate) => new SinkOperator(gate, node.sink) });
    await openAll(resourcesOf(graph, readers.values()), opened, task);
    if (!task.stopped) await new SourceLoop(plan, task, readers, options).run();
    task.throwFailure();
  } catch (error) {
    // What fails because the run was cancelled, such as a request that got the same signal, is no failure of the run.
    if (!cancelled) throw error;
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    task.stop();
    for (const reader of readers.values()) cancelReader(reader, task.options.logger);
    await closeAll(opened, task, options);
    closeOperators(plan, task.options.logger);
  }
  return cancelled ? 'cancelled' : 'finished';
}

/** Reads the sources in turns until all have ended, and wakes operators whose time has come. */
class SourceLoop {
  readonly #plan: Plan;
  readonly #task: Task;
  readonly #scheduler: Scheduler;
  readonly #active: Map<GraphNode, SourceReader>;
  readonly #waiting = new Set<GraphNode>();
  readonly #idle: IdleWatch;
  #wake: (() => void) | undefined;

  constructor(plan: Plan, task: Task, readers: ReadonlyMap<GraphNode, SourceReader>, options: RunOptions) {
    this.#plan = plan;
    this.#task = task;
    this.#scheduler = options.scheduler;
    this.#active = new Map(readers);
    this.#idle = new IdleWatch(plan, task.options.clock);
    task.onStop(() => this.#wake?.());
  }

  async run(): Promise<void> {
    const { clock } = this.#task.options;
    let lastBreath = clock.now();
    let rounds = 0;
    while (this.#active.size > 0 && !this.#task.stopped) {
      const progressed = await this.#round();
      if (this.#task.stopped) return;
      await this.#advanceTime();
      if (!progressed) await this.#sleep();
      // After a sleep too: a source that is always ready at once ends it before any other event had its turn.
      if (clock.now() - lastBreath < BREATH && ++rounds < ROUNDS) continue;
      await this.#scheduler.breathe();
      lastBreath = clock.now();
      rounds = 0;
    }
    await this.#settled();
  }

  /** Invariant: a source sends records only while no promise of an operator is pending. */
  async #round(): Promise<boolean> {
    let progressed = false;
    for (const [node, reader] of this.#active) {
      if (this.#waiting.has(node)) continue;
      const head = this.#plan.heads.get(node) ?? NOWHERE;
      const result = this.#guard(() => reader.pump(head, this.#task, TURN)) ?? 'more';
      if (result === 'ended') await this.#end(node, head);
      else if (result !== 'more') this.#waitFor(node, result);
      progressed ||= !this.#waiting.has(node);
      if (this.#task.pending) await this.#settled();
      if (this.#task.stopped) return false;
    }
    return progressed;
  }

  async #end(node: GraphNode, head: AnyReceiver): Promise<void> {
    this.#active.delete(node);
    this.#idle.setWaiting(node, true);
    await this.#settled();
    if (!this.#task.stopped) this.#guard(() => head.end());
  }

  #waitFor(node: GraphNode, ready: PromiseLike<unknown>): void {
    this.#waiting.add(node);
    this.#idle.setWaiting(node, true);
    const proceed = () => {
      this.#waiting.delete(node);
      this.#idle.setWaiting(node, false);
      this.#wake?.();
    };
    ready.then(proceed, (error: unknown) => {
      this.#task.fail(error);
      proceed();
    });
  }

  /** Fires processing-time timers and idleness that are due on the real clock. */
  async #advanceTime(): Promise<void> {
    const now = this.#task.options.clock.now();
    if (this.#task.options.processingTime === 'clock') {
      for (const { instance } of this.#plan.operators) {
        const next = instance.nextProcessingTime?.() ?? Infinity;
        if (next > now || this.#task.stopped) continue;
        this.#guard(() => instance.advanceProcessingTime?.(now));
        // What it sent on comes before the timers of the operators behind it, as if nothing were asynchronous.
        await this.#settled();
      }
    }
    if (!this.#task.stopped) this.#guard(() => this.#idle.check(now));
    await this.#settled();
  }

  /** Until no promise of an operator is pending, or the task is stopped. */
  async #settled(): Promise<void> {
    if (!this.#task.pending) return;
    this.#idle.setBusy(true);
    await this.#task.settled();
    this.#idle.setBusy(false);
  }

  /** Until a source has something, the task is stopped, or an operator's time has come. */
  async #sleep(): Promise<void> {
    if (this.#task.stopped || this.#waiting.size < this.#active.size) return;
    const now = this.#task.options.clock.now();
    const until = Math.min(this.#nextTimer(), this.#idle.nextCheck(now));
    await new Promise<void>((resolve) => {
      const cancel = until === Infinity ? undefined : this.#scheduler.after(until - now, resolve);
      this.#wake = () => {
        cancel?.();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #nextTimer(): number {
    if (this.#task.options.processingTime !== 'clock') return Infinity;
    return Math.min(
      ...this.#plan.operators.map(({ instance }) => instance.nextProcessingTime?.() ?? Infinity),
    );
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

/** Opens in order; gives up waiting when the task is stopped. */
async function openAll(resources: readonly Resource[], opened: Resource[], task: Task): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    task.onStop(resolve);
  });
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
    if (resources.length > 0) await closeWithin(resources, task.options.logger, options);
  }
}

async function closeWithin(
  resources: readonly Resource[],
  logger: Logger,
  options: RunOptions,
): Promise<void> {
  let cancelTimer = (): void => undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    cancelTimer = options.scheduler.after(options.closeTimeout, () => resolve(TIMED_OUT));
  });
  await Promise.all(resources.map((resource) => closeOne(resource, timeout, logger)));
  cancelTimer();
}

async function closeOne(
  resource: Resource,
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
