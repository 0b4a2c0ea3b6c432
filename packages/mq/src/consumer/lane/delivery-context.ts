import type { RsError } from '@rs/core';
import type { HandlerContext } from '../handler.ts';
import type { Outcome } from '../outcome.ts';

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
    this.#settle?.({ type: 'success' });
  }

  settle(outcome: Outcome): void {
    this.#settle?.(outcome);
  }

  /** Tells the handler to give up. The first reason stands. */
  abort(reason: RsError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
