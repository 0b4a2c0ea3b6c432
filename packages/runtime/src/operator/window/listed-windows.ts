import type { Window } from '@rs/core';
import type { Namespace } from '../../state/cell.ts';
import type { ComingRecord, Want } from '../keyed-group.ts';
import { checkWindow, checkWindowList } from './check-window.ts';
import { WindowOperator } from './window-operator.ts';

/** Windows of any assigner that does not merge: it is asked for each element. */
export class ListedWindowOperator<T, A> extends WindowOperator<T, A> {
  protected place(value: T, timestamp: number, key: unknown): boolean {
    const windows = this.#windows(value, timestamp);
    const open = windows.filter((window) => !this.isLate(window.end));
    if (open.length === 0 && windows.length > 0) return false;
    this.#feed(value, timestamp, key, open, 0);
    return true;
  }

  #feed(value: T, timestamp: number, key: unknown, windows: readonly Window[], from: number): void {
    for (let i = from; i < windows.length; i++) {
      const window = windows[i] as Window;
      const waiting = this.addTo(
        this.bucketOf(key, `${window.start}|${window.end}`, window),
        value,
        timestamp,
      );
      if (waiting === undefined) continue;
      return this.gate.suspend(waiting, () => {
        this.#feed(value, timestamp, key, windows, i + 1);
        if (!this.gate.busy) this.fireDue(() => undefined);
      });
    }
  }

  #windows(value: T, timestamp: number): readonly Window[] {
    try {
      const windows = checkWindowList(this.spec.assigner.assignWindows(value, timestamp), this.operator);
      return windows.map((window) => checkWindow(window, this.operator));
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  protected windowOf(namespace: Namespace): Window | undefined {
    if (typeof namespace === 'number') return undefined;
    const [start, end] = namespace.split('|').map(Number);
    return { start: start as number, end: end as number };
  }

  protected forget(): void {
    // The bucket is all there is.
  }

  wantRecord(record: ComingRecord, want: Want): void {
    for (const { start, end } of this.#windows(record.value as T, this.timeOf(record))) {
      this.wantWindow(record.key, `${start}|${end}`, want);
    }
  }

  parseNamespace(text: string): Namespace {
    return text;
  }
}
