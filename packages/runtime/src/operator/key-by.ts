import { type KeySelector, RsError } from '@rs/core';
import { encodeKey } from '../state/key-encoding.ts';
import type { Gate } from './gate.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';

/** Gives records their key. */
export class KeyByOperator<T, K> implements Receiver<T> {
  readonly inputs = [this];
  readonly watermarkTarget: AnyReceiver;
  readonly #gate: Gate;
  readonly #out: AnyReceiver;
  readonly #selector: KeySelector<T, K>;

  constructor(gate: Gate, out: AnyReceiver, selector: KeySelector<T, K>) {
    this.#gate = gate;
    this.#out = out;
    this.watermarkTarget = watermarkTarget(out);
    this.#selector = selector;
  }

  record(value: T, timestamp: number): void {
    let key;
    try {
      key = this.#selector(value);
      if (typeof key !== 'string') assertKey(key, this.#gate.operator);
    } catch (error) {
      throw this.#gate.failed(error);
    }
    this.#out.record(value, timestamp, key);
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

function assertKey(key: unknown, operator: string): void {
  if (typeof key === 'number' && Number.isFinite(key)) return;
  try {
    encodeKey(key);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RsError('RS_INVALID_KEY', `${operator}: ${reason}`, { cause: error, details: { operator } });
  }
}
