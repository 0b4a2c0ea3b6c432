import type { Prefetcher, Want } from '../../operator/keyed-group.ts';
import type { StreamItem } from '../../operator/stream-item.ts';
import type { Task } from '../../operator/task.ts';
import type { AnySlot } from '../../state/access.ts';
import { fillCell } from '../../state/format.ts';
import { addressOf } from '../../state/store.ts';
import type { StateBackend } from './backend.ts';

type AnyCell = ReturnType<AnySlot['insert']>;

/** Reads what a batch will touch, in as few calls as its dependencies allow: one, or two for sessions. */
export class Prefetch {
  readonly #backend: StateBackend;

  constructor(backend: StateBackend) {
    this.#backend = backend;
  }

  /** Asks until nothing is missing: a cell that was read may lead to others. */
  async forItems(task: Task, prefetcher: Prefetcher, items: readonly StreamItem[]): Promise<void> {
    const simulated = task.options.processingTime === 'records';
    await this.#read(task, (want) => wantItems(prefetcher, items, simulated, want));
  }

  /** For processing-time timers that are due at `now`. */
  async forTimers(task: Task, prefetcher: Prefetcher, now: number): Promise<void> {
    await this.#read(task, (want) => prefetcher.wantTimers(-Infinity, now, want));
  }

  async #read(task: Task, wantAll: (want: Want) => void): Promise<void> {
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
      cells.forEach((cell, index) => fillCell(cell, stored[index]));
      return cells.length;
    } catch (error) {
      // Cells that were not read must not look like empty ones.
      for (const cell of cells) cell.slot.drop(cell);
      throw error;
    }
  }
}

function wantItems(
  prefetcher: Prefetcher,
  items: readonly StreamItem[],
  simulated: boolean,
  want: Want,
): void {
  const { watermark, processingTime } = timesOf(items, simulated);
  let latestTimestamp = -Infinity;
  for (const item of items) {
    if (item.type !== 'record') continue;
    latestTimestamp = Math.max(latestTimestamp, item.timestamp);
    const { key, value, timestamp } = item;
    prefetcher.wantRecord({ key, value, timestamp, latestTimestamp }, want);
  }
  prefetcher.wantTimers(watermark, processingTime, want);
}

/** Up to which times timers can become due while the items are processed. */
function timesOf(
  items: readonly StreamItem[],
  simulated: boolean,
): { watermark: number; processingTime: number } {
  let watermark = -Infinity;
  let processingTime = -Infinity;
  for (const item of items) {
    if (item.type === 'watermark') watermark = Math.max(watermark, item.timestamp);
    else if (item.type === 'record' && simulated) processingTime = Math.max(processingTime, item.timestamp);
    else if (item.type === 'end') return { watermark: Infinity, processingTime: Infinity };
  }
  return { watermark, processingTime };
}
