import { type Message, RsError } from '@rs/core';
import { isThenable } from '../../checks/is-thenable.ts';
import type { Timers } from '../../time/timers.ts';
import type { BatchHandler } from '../handler.ts';
import { toOutcome } from '../outcome.ts';
import type { Delivery } from './delivery.ts';
import { type Ending, SUCCESS } from './ending.ts';
import { handlerTimeout, undecoded } from './message-runner.ts';
import type { Decode, Runner, RunnerHost } from './runner.ts';

export interface BatchRunnerOptions {
  readonly handler: BatchHandler<unknown>;
  readonly decode: Decode;
  readonly group: string;
  readonly timeout: number | undefined;
  readonly timers: Timers;
}

/** Calls a handler with several messages at a time, and gives each its own ending. */
export class BatchRunner implements Runner {
  readonly #options: BatchRunnerOptions;
  readonly #host: RunnerHost;
  readonly #running = new Set<AbortController>();
  #active = 0;

  constructor(options: BatchRunnerOptions, host: RunnerHost) {
    this.#options = options;
    this.#host = host;
  }

  get active(): number {
    return this.#active;
  }

  start(deliveries: readonly Delivery[]): void {
    this.#active++;
    void this.#run(deliveries);
  }

  abort(reason: RsError): void {
    for (const controller of this.#running) controller.abort(reason);
  }

  /** Never rejected: whatever happens becomes an ending. */
  async #run(deliveries: readonly Delivery[]): Promise<void> {
    const endings = new Map<Delivery, Ending>();
    const messages: Message<unknown>[] = [];
    const handled: Delivery[] = [];
    for (const delivery of deliveries) {
      try {
        messages.push(await this.#options.decode(delivery));
        handled.push(delivery);
      } catch (error) {
        endings.set(delivery, undecoded(error));
      }
    }
    if (!this.#host.mayHandle) {
      this.#active--;
      for (const delivery of deliveries) this.#host.notHandled(delivery);
      return;
    }
    if (handled.length > 0) {
      const results = await this.#call(messages, handled);
      handled.forEach((delivery, at) => endings.set(delivery, results[at] ?? SUCCESS));
    }
    this.#active--;
    // In the order of the messages, so that outcomes are stored in it.
    for (const delivery of deliveries) this.#host.ended(delivery, endings.get(delivery) ?? SUCCESS);
    for (const delivery of deliveries) this.#host.returned(delivery);
  }

  async #call(messages: readonly Message<unknown>[], deliveries: readonly Delivery[]): Promise<Ending[]> {
    const { handler, group, timeout, timers } = this.#options;
    const controller = new AbortController();
    this.#running.add(controller);
    let cancel: (() => void) | undefined;
    try {
      const result = handler(messages, {
        signal: controller.signal,
        group,
        attempts: deliveries.map((delivery) => delivery.failed + 1),
      });
      if (!isThenable(result)) return endingsOf(result, messages.length);
      if (timeout === undefined) return endingsOf(await result, messages.length);
      const [first] = messages;
      const late = new Promise<never>((_, reject) => {
        cancel = timers.after(timeout, () => {
          const error = handlerTimeout(first ?? { topic: '', partition: 0, id: '' }, timeout);
          controller.abort(error);
          reject(error);
        });
      });
      return endingsOf(await Promise.race([result, late]), messages.length);
    } catch (error) {
      return messages.map(() => ({ type: 'failed', error }));
    } finally {
      cancel?.();
      this.#running.delete(controller);
    }
  }
}

/** @throws RsError `RS_INVALID_VALUE` when there is not one result for each message */
function endingsOf(result: unknown, count: number): Ending[] {
  if (result === undefined) return Array.from({ length: count }, () => SUCCESS);
  if (!Array.isArray(result) || result.length !== count) {
    throw new RsError(
      'RS_INVALID_VALUE',
      `a batch handler must return nothing or an array with one result for each of its ${count} messages`,
      { details: { received: result, expected: count } },
    );
  }
  return result.map((each): Ending => {
    try {
      return { type: 'outcome', outcome: toOutcome(each) };
    } catch (error) {
      return { type: 'failed', error };
    }
  });
}
