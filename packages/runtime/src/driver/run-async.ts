import type { LogicalGraph } from '../graph/graph.ts';
import type { GraphNode } from '../graph/node.ts';
import { instantiate, type Plan } from '../graph/plan.ts';
import { NOWHERE } from '../operator/receiver.ts';
import { SinkOperator } from '../operator/sink.ts';
import type { Task } from '../operator/task.ts';
import { IdleWatch } from './idle-watch.ts';
import { closeOperators, logCloseError, type Resource, resourcesOf } from './lifecycle.ts';
import type { Scheduler } from './scheduler.ts';
import type { SourceReader } from './source-reader.ts';

export interface RunOptions {
  readonly scheduler: Scheduler;
  /** Cancels the run: no further record or timer is processed, sources and sinks are closed. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that closing sources and sinks may take at the end. */
  readonly closeTimeout: number;
}

/** Records that one source may send before the others have their turn. */
const TURN = 256;
/** Milliseconds of work after which the process's other events have their turn. */
const BREATH = 10;

/** Runs a job to its end, waiting where sources, functions or sinks do. */
export async function runAsync(
  graph: LogicalGraph,
  task: Task,
  readers: ReadonlyMap<GraphNode, SourceReader>,
  options: RunOptions,
): Promise<'finished' | 'cancelled'> {
  const opened: Resource[] = [];
  let plan: Plan | undefined;
  const cancel = () => task.stop();
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    if (options.signal?.aborted === true) return 'cancelled';
    plan = instantiate(graph, task, { sink: (node, gate) => new SinkOperator(gate, node.sink) });
    for (const resource of resourcesOf(graph, readers.values())) {
      opened.push(resource);
      await openResource(resource);
      if (task.stopped) return 'cancelled';
    }
    await new SourceLoop(plan, task, readers, options).run();
    task.throwFailure();
    return task.stopped ? 'cancelled' : 'finished';
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    task.stop();
    for (const reader of readers.values()) cancelReader(reader, task);
    await closeWithin(opened, task, options);
    closeOperators(plan, task.options.logger);
  }
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
    while (this.#active.size > 0 && !this.#task.stopped) {
      const progressed = await this.#round();
      if (this.#task.stopped) return;
      await this.#advanceTime();
      if (!progressed) await this.#sleep();
      else if (clock.now() - lastBreath < BREATH) continue;
      else await this.#scheduler.breathe();
      lastBreath = clock.now();
    }
    await this.#task.settled();
  }

  /** Invariant: a source sends records only while no promise of an operator is pending. */
  async #round(): Promise<boolean> {
    let progressed = false;
    for (const [node, reader] of this.#active) {
      if (this.#waiting.has(node)) continue;
      const head = this.#plan.heads.get(node) ?? NOWHERE;
      const result = this.#guard(() => reader.pump(head, this.#task, TURN)) ?? 'more';
      if (result === 'ended') {
        this.#active.delete(node);
        await this.#task.settled();
        if (!this.#task.stopped) this.#guard(() => head.end());
      } else if (result !== 'more') {
        this.#waitFor(node, result);
        continue;
      }
      progressed = true;
      if (this.#task.pending) await this.#task.settled();
      if (this.#task.stopped) return false;
    }
    return progressed;
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
        if (next <= now && !this.#task.stopped) this.#guard(() => instance.advanceProcessingTime?.(now));
      }
    }
    this.#guard(() => this.#idle.check(now));
    await this.#task.settled();
  }

  /** Until a source has something, the task is stopped, or an operator's time has come. */
  async #sleep(): Promise<void> {
    if (this.#task.stopped || this.#waiting.size < this.#active.size) return;
    const until = Math.min(this.#nextTimer(), this.#idle.nextCheck());
    await new Promise<void>((resolve) => {
      const delay = until - this.#task.options.clock.now();
      const cancel = until === Infinity ? undefined : this.#scheduler.after(delay, resolve);
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

async function openResource(resource: Resource): Promise<void> {
  try {
    await resource.open?.();
  } catch (error) {
    throw resource.failed(error);
  }
}

function cancelReader(reader: SourceReader, task: Task): void {
  try {
    reader.cancel?.();
  } catch (error) {
    logCloseError(task.options.logger, reader.name, error);
  }
}

/** Closing has a hard budget: a sink or source that never finishes must not keep the run from ending. */
async function closeWithin(opened: readonly Resource[], task: Task, options: RunOptions): Promise<void> {
  const { logger } = task.options;
  let cancelTimer = (): void => undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    cancelTimer = options.scheduler.after(options.closeTimeout, () => resolve('timeout'));
  });
  for (const resource of opened.toReversed()) {
    try {
      const outcome = await Promise.race([resource.close?.(), timeout]);
      if (outcome === 'timeout')
        logger.warn(
          { component: 'runtime', operator: resource.name },
          `${resource.name} did not close in time`,
        );
    } catch (error) {
      logCloseError(logger, resource.name, error);
    }
  }
  cancelTimer();
}
