import type { OperatorInstance } from './operator.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';

/** Marks where every record goes to all partitions; a record that does has no key. */
export class BroadcastOperator implements Receiver<unknown>, OperatorInstance {
  readonly inputs = [this];
  readonly watermarkTarget: AnyReceiver;
  readonly #out: AnyReceiver;

  constructor(out: AnyReceiver) {
    this.#out = out;
    this.watermarkTarget = watermarkTarget(out);
  }

  record(value: unknown, timestamp: number): void {
    this.#out.record(value, timestamp, undefined);
  }

  watermark(timestamp: number): void {
    this.#out.watermark(timestamp);
  }

  status(idle: boolean): void {
    this.#out.status(idle);
  }

  end(): void {
    this.#out.end();
  }
}
