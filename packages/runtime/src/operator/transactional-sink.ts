import type { TwoPhaseCommitSink } from '@rs/core';
import { SinkCalls } from '../checkpoint/sink-calls.ts';
import { Transactions } from '../checkpoint/transactions.ts';
import { isPromise } from '../promise.ts';
import type { Gate } from './gate.ts';
import { NOWHERE, type Receiver } from './receiver.ts';

/** Hands records to a user's sink in transactions, each begun before its first record. Ending them is the engine's part. */
export class TransactionalSinkOperator<T, Txn> implements Receiver<T> {
  readonly watermarkTarget = NOWHERE;
  readonly transactions: Transactions<Txn>;
  readonly #gate: Gate;
  readonly #sink: TwoPhaseCommitSink<T, Txn>;

  constructor(gate: Gate, sink: TwoPhaseCommitSink<T, Txn>) {
    this.#gate = gate;
    this.#sink = sink;
    this.transactions = new Transactions<Txn>(sink, new SinkCalls(gate.task, gate.operator));
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.#gate.busy) return this.#gate.holdRecord(this, value, timestamp, key);
    const { open } = this.transactions;
    if (open !== undefined) return this.#invoke(value, open.txn);
    let txn;
    try {
      txn = this.transactions.begin();
    } catch (error) {
      throw this.#gate.failed(error);
    }
    if (isPromise(txn)) this.#invokeLater(value, txn);
    else this.#invoke(value, txn);
  }

  #invoke(value: T, txn: Txn): void {
    let result;
    try {
      result = this.#sink.invoke(value, txn) as unknown;
    } catch (error) {
      throw this.#gate.failed(error);
    }
    if (!isPromise(result)) return;
    this.transactions.track(result);
    this.#gate.suspend(result, () => undefined);
  }

  #invokeLater(value: T, begun: PromiseLike<Txn>): void {
    this.#gate.suspend(begun, (txn) => this.#invoke(value, txn));
  }

  watermark(): void {
    // Sinks do not look at time.
  }

  status(): void {
    // Nor at idleness.
  }

  end(): void {
    // The driver closes them.
  }
}
