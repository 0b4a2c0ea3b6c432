import type { Plan } from '../../graph/plan.ts';
import type { OperatorInstance } from '../../operator/operator.ts';
import type { Task } from '../../operator/task.ts';
import { decodeKey } from '../../state/key-encoding.ts';
import type { StoredTimer } from '../../time/stored-timer.ts';
import type { Timer } from '../../time/timer-entry.ts';
import type { TimerQueue } from '../../time/timer-queue.ts';
import type { StateBackend, TimerQueueAddress } from './backend.ts';

export const DEFAULT_TIMER_PAGE = 10_000;

/** Pages of timers that may gather in memory before those that come last are forgotten. */
const MAX_PAGES = 4;
/** How many are kept then. */
const KEPT_PAGES = 2;

interface Paged {
  readonly address: TimerQueueAddress;
  readonly instance: OperatorInstance;
}

/** Timers that are to be in memory: the first `count` of a queue that are due at `limit`. */
export interface WantedTimers {
  readonly queue: TimerQueue;
  readonly limit: number;
  readonly count: number;
}

/** Reads the timers of a task that come next. */
export class TimerPages {
  readonly #backend: StateBackend;
  readonly #task: Task;
  readonly #settled: () => Promise<void>;
  readonly #page: number;
  readonly #queues = new Map<TimerQueue, Paged>();

  /** @param settled resolves when no commit is on its way: only then do stored timers and changed ones fit together */
  constructor(backend: StateBackend, { operators, place }: Plan, page: number, settled: () => Promise<void>) {
    this.#backend = backend;
    this.#task = place.task;
    this.#page = page;
    this.#settled = settled;
    for (const { id, instance } of operators) {
      if (instance.timers === undefined) continue;
      for (const kind of ['event', 'processing'] as const)
        this.#queues.set(instance.timers[kind], { address: { operator: id, kind }, instance });
    }
  }

  /** Reads the first timers of all queues. */
  async open(): Promise<void> {
    if (this.#queues.size > 0) await this.#fill([...this.#queues.keys()], this.#page);
  }

  /** Reads what is missing; returns `undefined` when that is nothing. */
  load(wanted: readonly WantedTimers[]): Promise<void> | undefined {
    return wanted.some(isMissing) ? this.#load(wanted) : undefined;
  }

  /** To be called after a commit. */
  trim(): void {
    for (const queue of this.#queues.keys())
      if (queue.size > MAX_PAGES * this.#page) queue.trim(KEPT_PAGES * this.#page);
  }

  /**
   * Each time at least twice as many as there are, so that however many are needed, they come in a few reads; and at least twice as many
   * as the time before, since a page may bring fewer than it was asked for, and what was deleted since may be all of it.
   */
  async #load(wanted: readonly WantedTimers[]): Promise<void> {
    for (let limit = this.#page; ; limit *= 2) {
      const queues = wanted.filter(isMissing).map(({ queue }) => queue);
      if (queues.length === 0) return;
      await this.#settled();
      this.#task.assertRunning();
      limit = Math.max(limit, ...queues.map(({ known }) => 2 * known));
      await this.#fill(queues, limit);
      this.#task.assertRunning();
    }
  }

  async #fill(queues: readonly TimerQueue[], limit: number): Promise<void> {
    const paged = queues.map((queue) => this.#queues.get(queue) as Paged);
    const pages = await this.#backend.timers(
      paged.map(({ address }) => address),
      limit,
    );
    for (const [index, queue] of queues.entries()) {
      const { timers = [], more = false } = pages[index] ?? {};
      const { instance } = paged[index] as Paged;
      queue.fill(
        timers.map((timer) => timerOf(timer, instance)),
        more,
      );
    }
  }
}

function isMissing({ queue, limit, count }: WantedTimers): boolean {
  return queue.lacks(limit, count);
}

function timerOf({ time, key, namespace }: StoredTimer, instance: OperatorInstance): Timer {
  return { time, key: decodeKey(key), namespace: instance.parseNamespace?.(namespace) ?? namespace };
}
