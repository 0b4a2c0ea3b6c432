import type { Prefetcher, Want } from '../../operator/keyed-group.ts';
import type { StreamItem } from '../../operator/stream-item.ts';
import type { Task } from '../../operator/task.ts';
import type { AnySlot } from '../../state/access.ts';
import { addressOf, type StateStore } from '../../state/store.ts';
import type { StateBackend } from './backend.ts';
import type { TimerPages, WantedTimers } from './timer-pages.ts';

/** What waits at a barrier. */
interface Waiting {
  readonly item: StreamItem;
}

type AnyCell = ReturnType<AnySlot['insert']>;

/** Up to which times timers can become due. */
interface Times {
  readonly watermark: number;
  readonly processingTime: number;
}

/** Reads what a batch will touch, in as few calls as its dependencies allow: one, or two for sessions. */
export class Prefetch {
  readonly #backend: StateBackend;
  readonly #store: StateStore;
  readonly #pages: TimerPages;

  constructor(backend: StateBackend, store: StateStore, pages: TimerPages) {
    this.#backend = backend;
    this.#store = store;
    this.#pages = pages;
  }

  /** Asks until nothing is missing: a cell that was read may lead to others. */
  async forItems(task: Task, prefetcher: Prefetcher, items: readonly Waiting[]): Promise<void> {
    const simulated = task.options.processingTime === 'records';
    const times = timesOf(items, simulated);
    const loading = this.#pages.load(wantedTimers(prefetcher, times, Infinity));
    if (loading !== undefined) await loading;
    await this.cells(task, (want) => wantItems(prefetcher, items, times, want));
  }

  /** For an item about time that lets no more than `fires` timers fire. */
  async forAdvance(task: Task, prefetcher: Prefetcher, item: StreamItem, fires: number): Promise<void> {
    const times = timesOf([{ item }], false);
    await this.#forTimers(task, prefetcher, times, wantedTimers(prefetcher, times, fires));
  }

  /** For processing-time timers that are due at `now`, of which no more than `fires` fire, and event timers due already. */
  async forTimers(task: Task, prefetcher: Prefetcher, now: number, fires: number): Promise<void> {
    const times = { watermark: -Infinity, processingTime: now };
    const wanted = prefetcher.queues.flatMap(({ event, processing, dueAt }) => [
      { queue: event, limit: dueAt('event'), count: Infinity },
      { queue: processing, limit: now, count: fires },
    ]);
    await this.#forTimers(task, prefetcher, times, wanted);
  }

  /** Invariant: what was not read for does not fire: the queues have fences until their timers have fired. */
  async #forTimers(
    task: Task,
    prefetcher: Prefetcher,
    { watermark, processingTime }: Times,
    wanted: readonly WantedTimers[],
  ): Promise<void> {
    await this.#pages.load(wanted);
    for (const { queue, limit, count } of wanted) queue.fence(limit, count);
    await this.cells(task, (want) => prefetcher.wantTimers(watermark, processingTime, want));
  }

  async cells(task: Task, wantAll: (want: Want) => void): Promise<void> {
    if (this.#store.complete) return;
    while ((await this.#readMissing(task, wantAll)) > 0);
  }

  async #readMissing(task: Task, wantAll: (want: Want) => void): Promise<number> {
    const cells: AnyCell[] = [];
    const want: Want = (slot, key, namespace) => {
      if (!slot.want(key, namespace)) cells.push(slot.insert(key, namespace));
    };
    try {
      // Window assigners and keys are the user's: what they throw fails the items, not the backend.
      task.guard(() => wantAll(want));
      if (cells.length === 0) return 0;
      const stored = await this.#backend.read(
        cells.map((cell) => addressOf(cell.slot, cell.key, cell.namespace)),
      );
      cells.forEach((cell, index) => cell.slot.load(cell, stored[index]));
      return cells.length;
    } catch (error) {
      // Cells that were not read must not look like empty ones.
      for (const cell of cells) cell.slot.drop(cell);
      throw error;
    }
  }
}

function wantedTimers(prefetcher: Prefetcher, times: Times, count: number): readonly WantedTimers[] {
  return prefetcher.queues.flatMap(({ event, processing, dueAt }) => [
    { queue: event, limit: Math.max(times.watermark, dueAt('event')), count },
    { queue: processing, limit: Math.max(times.processingTime, dueAt('processing')), count },
  ]);
}

function wantItems(
  prefetcher: Prefetcher,
  items: readonly Waiting[],
  { watermark, processingTime }: Times,
  want: Want,
): void {
  let latestTimestamp = -Infinity;
  for (const { item } of items) {
    if (item.type !== 'record') continue;
    const { key, value, timestamp } = item;
    if (timestamp > latestTimestamp) latestTimestamp = timestamp;
    prefetcher.wantRecord({ key, value, timestamp, latestTimestamp }, want);
  }
  prefetcher.wantTimers(watermark, processingTime, want);
}

/** While the items are processed. */
function timesOf(items: readonly Waiting[], simulated: boolean): Times {
  let watermark = -Infinity;
  let processingTime = -Infinity;
  for (const { item } of items) {
    if (item.type === 'watermark') watermark = Math.max(watermark, item.timestamp);
    else if (item.type === 'record' && simulated) processingTime = Math.max(processingTime, item.timestamp);
    else if (item.type === 'end') return { watermark: Infinity, processingTime: Infinity };
  }
  return { watermark, processingTime };
}
