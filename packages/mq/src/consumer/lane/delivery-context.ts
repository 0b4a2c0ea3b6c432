import { RsError } from '@rs/core';
import type { HandlerContext } from '../handler.ts';
import { type MessageResult, type Outcome, toOutcome } from '../outcome.ts';

/** What a handler's call is given. Its signal is made when it is asked for: most handlers never do. */
export class DeliveryContext implements HandlerContext {
  readonly attempt: number;
  readonly group: string;
  readonly #settle: ((outcome: Outcome) => void) | undefined;
  #controller: AbortController | undefined;
  #reason: RsError | undefined;

  /** @param settle `undefined` where the handler's answer settles the message */
  constructor(attempt: number, group: string, settle: ((outcome: Outcome) => void) | undefined) {
    this.attempt = attempt;
    this.group = group;
    this.#settle = settle;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  ack(): void {
    this.#settler('ack')({ type: 'success' });
  }

  settle(result: MessageResult | Outcome): void {
    const settle = this.#settler('settle');
    // Nothing, which a handler may return, is a forgotten argument here.
    settle(toOutcome(result === undefined ? null : result));
  }

  /** Tells the handler to give up. The first reason stands. */
  abort(reason: RsError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  #settler(method: string): (outcome: Outcome) => void {
    if (this.#settle !== undefined) return this.#settle;
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `context.${method}() is for subscriptions with ack: 'manual'; return the outcome from the handler, or subscribe with ack: 'manual'`,
      { details: { method, ack: 'auto' } },
    );
  }
}
