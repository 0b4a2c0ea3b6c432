import { jsonCodec } from '@rs/core';
import type {
  CommitBatch,
  CommitReply,
  OutputRecord,
  StateBackend,
  TaskSnapshot,
  TimerPage,
  TimerQueueAddress,
} from '../driver/batched/backend.ts';
import { compareText } from '../state/key-encoding.ts';
import { addressText, keyAddressText } from '../state/store.ts';
import type { StoredTimer } from '../time/stored-timer.ts';
import type { CellAddress, CellChange, KeyAddress, StoredCell, StoredPage } from '../state/stored.ts';

/** Cells in one page of a scan: few, so that small jobs read several pages. */
const PAGE = 3;

/** A stored timer, with the operator that it belongs to. */
export interface OwnedTimer extends StoredTimer {
  readonly operator: string;
  readonly kind: 'event' | 'processing';
}

/**
 * A {@link StateBackend} in memory, with asynchronous reads and a log of all commits. What goes in and comes out is
 * copied as text, so that nothing can be shared with the task by accident. A task's crash is simulated by opening it anew.
 */
export class CommitLogBackend implements StateBackend {
  readonly #log: CommitBatch[] = [];
  #cells = new Map<string, StoredCell>();
  #timers = new Map<string, OwnedTimer>();
  #owner = 0;

  /** Takes the task over: the backend returned before is fenced from now on. */
  acquire(): StateBackend {
    const owner = ++this.#owner;
    return {
      open: () => this.open(),
      read: (addresses) => this.read(addresses),
      scan: (address, after, limit) => this.scan(address, after, limit),
      timers: (queues, limit) => this.timers(queues, limit),
      commit: (batch) => (owner === this.#owner ? this.commit(batch) : Promise.resolve('FENCED')),
    };
  }

  async open(): Promise<TaskSnapshot | undefined> {
    await Promise.resolve();
    const last = this.#log.at(-1);
    if (last === undefined) return undefined;
    return { seq: last.seq, offset: last.offset, operators: last.operators };
  }

  async read(addresses: readonly CellAddress[]): Promise<readonly (StoredCell | undefined)[]> {
    await Promise.resolve();
    return addresses.map((address) => this.#cells.get(addressText(address)));
  }

  async scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage> {
    await Promise.resolve();
    const prefix = keyAddressText(address);
    const cells = [...this.#cells]
      .filter(([at]) => at.startsWith(prefix))
      .map(([at, cell]) => [at.slice(prefix.length), cell] as const)
      .filter(([namespace]) => after === undefined || compareText(namespace, after) > 0)
      .sort(([a], [b]) => compareText(a, b));
    const page = cells.slice(0, Math.min(limit, PAGE));
    return { cells: page, next: page.length < cells.length ? page.at(-1)?.[0] : undefined };
  }

  async timers(queues: readonly TimerQueueAddress[], limit: number): Promise<readonly TimerPage[]> {
    await Promise.resolve();
    return queues.map(({ operator, kind }) => {
      const all = this.storedTimers()
        .filter((timer) => timer.operator === operator && timer.kind === kind)
        .sort(inFiringOrder)
        .map(({ time, key, namespace }): StoredTimer => ({ time, key, namespace }));
      // Fewer than it was asked for, as a backend may that keeps them in several places.
      const timers = all.slice(0, Math.ceil(limit / 2));
      return { timers, more: all.length > timers.length };
    });
  }

  async commit(batch: CommitBatch): Promise<CommitReply> {
    const text = serialise(batch);
    await Promise.resolve();
    const last = this.#log.at(-1)?.seq ?? 0;
    if (batch.seq === last) return 'DUP';
    if (batch.seq !== last + 1) return 'SEQ';
    const applied = deserialise(text);
    this.#log.push(applied);
    this.#apply(applied);
    return 'OK';
  }

  /** All batches, oldest first. */
  commits(): readonly CommitBatch[] {
    return this.#log;
  }

  /** Everything that was emitted, in order. */
  outputs(): OutputRecord[] {
    return this.commits().flatMap((batch) => batch.outputs);
  }

  /** Late records by operator. */
  late(): Record<string, number> {
    const total: Record<string, number> = {};
    for (const { late } of this.commits()) {
      for (const [operator, count] of Object.entries(late)) total[operator] = (total[operator] ?? 0) + count;
    }
    return total;
  }

  /** What is stored now: `[address, cell]`. */
  cells(): [string, StoredCell][] {
    return [...this.#cells];
  }

  storedTimers(): OwnedTimer[] {
    return [...this.#timers.values()];
  }

  #apply(batch: CommitBatch): void {
    for (const change of batch.cells) this.#applyCell(change);
    for (const { op, ...timer } of batch.timers) {
      const id = JSON.stringify([timer.operator, timer.kind, timer.time, timer.key, timer.namespace]);
      if (op === 'add') this.#timers.set(id, timer);
      else this.#timers.delete(id);
    }
  }

  #applyCell(change: CellChange): void {
    if (change.op === 'clear') {
      const prefix = keyAddressText(change.address);
      for (const at of this.#cells.keys()) if (at.startsWith(prefix)) this.#cells.delete(at);
      return;
    }
    const at = addressText(change.address);
    switch (change.op) {
      case 'put':
        this.#cells.set(at, change.stored);
        return;
      case 'delete':
        this.#cells.delete(at);
        return;
      case 'elements': {
        const before = change.clear ? undefined : this.#cells.get(at);
        const elements = new Map(
          before?.layout === 'elements' ? before.elements.map((one) => [one.id, one]) : [],
        );
        for (const element of change.put) elements.set(element.id, element);
        for (const id of change.remove) elements.delete(id);
        const { version, expiresAt } = change;
        this.#cells.set(at, {
          layout: 'elements',
          elements: [...elements.values()],
          version,
          ...(expiresAt === undefined ? {} : { expiresAt }),
        });
      }
    }
  }
}

function inFiringOrder(a: StoredTimer, b: StoredTimer): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1; // Both may be infinite.
  return compareText(`${a.key}\u001f${a.namespace}`, `${b.key}\u001f${b.namespace}`);
}

const codec = jsonCodec<CommitBatch>();

function serialise(batch: CommitBatch): string {
  return codec.encode(batch) as string;
}

function deserialise(text: string): CommitBatch {
  return codec.decode(text);
}
