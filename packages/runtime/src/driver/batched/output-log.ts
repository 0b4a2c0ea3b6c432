import { type AnyReceiver, NOWHERE, type Receiver } from '../../operator/receiver.ts';
import type { OutputRecord } from './backend.ts';

/** Collects what a batch emits; it leaves the task with the commit. */
export class OutputLog {
  #records: OutputRecord[] = [];

  receiver(sink: string): AnyReceiver {
    return new OutputReceiver((record) => void this.#records.push(record), sink);
  }

  peek(): readonly OutputRecord[] {
    return this.#records;
  }

  clear(): void {
    this.#records = [];
  }
}

class OutputReceiver implements Receiver<unknown> {
  readonly watermarkTarget = NOWHERE;
  readonly #add: (record: OutputRecord) => void;
  readonly #sink: string;

  constructor(add: (record: OutputRecord) => void, sink: string) {
    this.#add = add;
    this.#sink = sink;
  }

  record(value: unknown, timestamp: number): void {
    this.#add({ sink: this.#sink, value, timestamp });
  }

  watermark(): void {
    // An output log has no time.
  }

  status(): void {
    // Nor idleness.
  }

  end(): void {
    // The task's end is a fact of its own.
  }
}
