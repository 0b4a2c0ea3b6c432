import { type KeySelector, RsError } from '@rs/core';
import { errorReason } from '../error-reason.ts';
import { decodeKey, encodeKey } from '../state/key-encoding.ts';
import type { Gate } from './gate.ts';
import { isPromise, silence } from '../promise.ts';
import type { KeyedGroup } from './keyed-group.ts';
import type { OperatorInstance, OperatorMeta } from './operator.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';

/** Gives records a key; how it is found is up to subclasses. */
export abstract class KeyAssigner<T> implements Receiver<T>, OperatorInstance {
  readonly inputs = [this];
  readonly watermarkTarget: AnyReceiver;
  protected readonly gate: Gate;
  readonly #out: AnyReceiver;
  readonly #group: KeyedGroup | undefined;

  /** @param group what the operators behind it share; its facts are stored under this operator */
  constructor(gate: Gate, out: AnyReceiver, group: KeyedGroup | undefined) {
    this.gate = gate;
    this.#group = group;
    this.#out = out;
    this.watermarkTarget = watermarkTarget(out);
  }

  /** @param messageKey what the record's message was sent with, where it comes from a topic */
  protected abstract keyOf(value: T, messageKey: unknown): unknown;

  record(value: T, timestamp: number, messageKey: unknown): void {
    this.#out.record(value, timestamp, this.keyOf(value, messageKey));
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

  meta(): OperatorMeta {
    return this.#group?.meta() ?? {};
  }

  restore(meta: OperatorMeta): void {
    this.#group?.restore(meta);
  }
}

/** The key is what a selector takes from the record. */
export class KeyByOperator<T, K> extends KeyAssigner<T> {
  readonly #selector: KeySelector<T, K>;

  constructor(gate: Gate, out: AnyReceiver, selector: KeySelector<T, K>, group: KeyedGroup | undefined) {
    super(gate, out, group);
    this.#selector = selector;
  }

  protected keyOf(value: T, _messageKey: unknown): unknown {
    return keyOf(this.gate, this.#selector, value);
  }
}

/** The key of a record, as operators use it: checked, and the record's own no longer. */
function keyOf<T, K>(gate: Gate, selector: KeySelector<T, K>, value: T): unknown {
  try {
    const key: unknown = selector(value);
    return typeof key === 'string' ? key : ownKey(key, gate.operator);
  } catch (error) {
    throw gate.failed(error);
  }
}

/** A checked key that no later change of the record can reach: state and timers are found by it for a long time. */
function ownKey(key: unknown, operator: string): unknown {
  if (typeof key === 'number' && Number.isFinite(key)) return key + 0; // -0 is 0
  try {
    if (isPromise(key)) silence(key);
    const text = encodeKey(key);
    return typeof key === 'object' ? decodeKey(text) : key;
  } catch (error) {
    const reason = errorReason(error);
    throw new RsError('RS_INVALID_KEY', `${operator}: ${reason}`, { cause: error, details: { operator } });
  }
}
