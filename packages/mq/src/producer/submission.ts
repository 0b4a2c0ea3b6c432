import type { Receipt } from './new-message.ts';
import type { Outgoing } from './outgoing.ts';
import type { Round } from './outstanding.ts';
import { partialFailure } from './delivery-error.ts';

/** One call of `send` or `sendBatch` on its way: it ends when all of its messages have. */
export abstract class Submission {
  readonly entries: readonly Outgoing[];
  readonly #round: Round;
  /** How many of its messages are in the queues of partitions, or were. */
  admitted = 0;
  /** Takes back what listens to the caller's signal. */
  release: (() => void) | undefined;
  #ended = false;

  constructor(entries: readonly Outgoing[], round: Round) {
    this.entries = entries;
    this.#round = round;
    round.enter();
  }

  get ended(): boolean {
    return this.#ended;
  }

  abstract written(index: number, receipt: Receipt): void;

  /** This message was not confirmed. */
  abstract failed(index: number, error: unknown): void;

  /** None of the messages was accepted. */
  abstract refused(error: unknown): void;

  protected end(): void {
    this.#ended = true;
    this.release?.();
    this.#round.leave();
  }
}

/** A message with a promise of its own. */
export class SingleSend extends Submission {
  readonly #resolve: (receipt: Receipt) => void;
  readonly #reject: (error: unknown) => void;

  constructor(
    entry: Outgoing,
    round: Round,
    resolve: (receipt: Receipt) => void,
    reject: (error: unknown) => void,
  ) {
    super([entry], round);
    this.#resolve = resolve;
    this.#reject = reject;
  }

  override written(_index: number, receipt: Receipt): void {
    if (this.ended) return;
    this.end();
    this.#resolve(receipt);
  }

  override failed(_index: number, error: unknown): void {
    this.refused(error);
  }

  override refused(error: unknown): void {
    if (this.ended) return;
    this.end();
    this.#reject(error);
  }
}

/** Many messages with one promise. */
export class BatchSend extends Submission {
  readonly #topic: string;
  readonly #resolve: (receipts: Receipt[]) => void;
  readonly #reject: (error: unknown) => void;
  readonly #receipts: (Receipt | undefined)[];
  readonly #failures: { readonly index: number; readonly error: unknown }[] = [];
  #left: number;

  constructor(
    topic: string,
    entries: readonly Outgoing[],
    round: Round,
    resolve: (receipts: Receipt[]) => void,
    reject: (error: unknown) => void,
  ) {
    super(entries, round);
    this.#topic = topic;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#receipts = new Array<Receipt | undefined>(entries.length).fill(undefined);
    this.#left = entries.length;
  }

  override written(index: number, receipt: Receipt): void {
    this.#receipts[index] = receipt;
    this.#settled();
  }

  override failed(index: number, error: unknown): void {
    this.#failures.push({ index, error });
    this.#settled();
  }

  override refused(error: unknown): void {
    if (this.ended) return;
    this.end();
    this.#reject(error);
  }

  #settled(): void {
    this.#left--;
    if (this.#left > 0 || this.ended) return;
    this.end();
    if (this.#failures.length === 0) this.#resolve(this.#receipts as Receipt[]);
    else this.#reject(partialFailure(this.#topic, this.#receipts, this.#failures));
  }
}
