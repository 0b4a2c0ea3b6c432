import type { AlignedWindows, Window } from '@rs/core';
import type { Namespace } from '../../state/cell.ts';
import type { ItemFormat } from '../../state/format.ts';
import type { Gate } from '../gate.ts';
import type { ComingRecord, Want } from '../keyed-group.ts';
import type { Outputs } from '../outputs.ts';
import type { WindowContents } from './contents.ts';
import { WindowOperator } from './window-operator.ts';
import type { WindowSpec } from './window-spec.ts';

/** Windows on a regular grid (tumbling, sliding): found by arithmetic, identified by their start. */
export class AlignedWindowOperator<T, A> extends WindowOperator<T, A> {
  readonly #aligned: AlignedWindows;

  constructor(
    gate: Gate,
    outputs: Outputs,
    spec: WindowSpec<T>,
    aligned: AlignedWindows,
    accumulator: ItemFormat<A>,
    contents: (operator: WindowOperator<T, A>) => WindowContents<T, A>,
  ) {
    super(gate, outputs, spec, accumulator, contents);
    this.#aligned = aligned;
  }

  protected place(value: T, timestamp: number, key: unknown): boolean {
    const { size } = this.#aligned;
    const newest = this.#newestStart(timestamp);
    if (newest <= timestamp - size) return true; // In a gap between windows: it belongs to none, and is late for none.
    if (this.isLate(newest + size)) return false;
    this.#feed(value, timestamp, key, newest);
    return true;
  }

  /** Some times have no exact window. */
  #newestStart(timestamp: number): number {
    try {
      return this.#aligned.lastStart(timestamp);
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  /** Newest window first; once one is late, all older ones are. */
  #feed(value: T, timestamp: number, key: unknown, newest: number): void {
    const { size, slide } = this.#aligned;
    for (let start = newest; start > timestamp - size && !this.isLate(start + size); start -= slide) {
      const waiting = this.addTo(this.bucketOf(key, start, undefined), value, timestamp);
      if (waiting !== undefined) return this.#feedLater(waiting, value, timestamp, key, start - slide);
    }
  }

  #feedLater(waiting: PromiseLike<void>, value: T, timestamp: number, key: unknown, next: number): void {
    this.gate.suspend(waiting, () => {
      this.#feed(value, timestamp, key, next);
      if (!this.gate.busy) this.fireDue(() => undefined);
    });
  }

  protected windowOf(namespace: Namespace): Window {
    const start = Number(namespace);
    return { start, end: start + this.#aligned.size };
  }

  protected forget(): void {
    // The bucket is all there is.
  }

  wantRecord(record: ComingRecord, want: Want): void {
    const { size, slide } = this.#aligned;
    const time = this.timeOf(record);
    for (let start = this.#aligned.lastStart(time); start > time - size; start -= slide) {
      this.wantWindow(record.key, start, want);
    }
  }

  parseNamespace(text: string): Namespace {
    return Number(text);
  }
}
