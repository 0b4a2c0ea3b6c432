import { type Message, RsError, isRsError } from '@rs/core';
import { isThenable } from '../../checks/is-thenable.ts';
import type { Timers } from '../../time/timers.ts';
import type { MessageHandler } from '../handler.ts';
import { type Outcome, toOutcome } from '../outcome.ts';
import { DeliveryContext } from './delivery-context.ts';
import type { Delivery } from './delivery.ts';
import { type Ending, SUCCESS } from './ending.ts';
import type { Decode, Runner, RunnerHost } from './runner.ts';

export interface MessageRunnerOptions {
  readonly handler: MessageHandler<unknown>;
  readonly decode: Decode;
  readonly group: string;
  readonly ack: 'auto' | 'manual';
  /** Milliseconds; `undefined` for no limit. */
  readonly timeout: number | undefined;
  readonly timers: Timers;
}

/** Calls a handler with one message at a time. */
export class MessageRunner implements Runner {
  readonly #options: MessageRunnerOptions;
  readonly #host: RunnerHost;
  readonly #running = new Set<DeliveryContext>();
  #active = 0;

  constructor(options: MessageRunnerOptions, host: RunnerHost) {
    this.#options = options;
    this.#host = host;
  }

  get active(): number {
    return this.#active;
  }

  start(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.#start(delivery);
  }

  abort(reason: RsError): void {
    for (const context of this.#running) context.abort(reason);
  }

  #start(delivery: Delivery): void {
    this.#active++;
    let message: Message<unknown> | Promise<Message<unknown>>;
    try {
      message = this.#options.decode(delivery);
    } catch (error) {
      this.#undecodable(delivery, error);
      return;
    }
    if (!isThenable(message)) {
      this.#call(delivery, message);
      return;
    }
    message.then(
      (decoded) => {
        if (this.#host.mayHandle) this.#call(delivery, decoded);
        else {
          this.#active--;
          this.#host.notHandled(delivery);
        }
      },
      (error: unknown) => {
        this.#undecodable(delivery, error);
      },
    );
  }

  #undecodable(delivery: Delivery, error: unknown): void {
    this.#active--;
    this.#host.ended(delivery, undecoded(error));
    this.#host.returned(delivery);
  }

  #call(delivery: Delivery, message: Message<unknown>): void {
    const { handler, group, ack, timeout } = this.#options;
    const manual = ack === 'manual';
    let settled = false;
    let returned = false;
    let cancelTimeout: (() => void) | undefined;

    // A handler has one outcome: the first one counts, whoever says it.
    const settle = (ending: Ending): void => {
      if (settled) return;
      settled = true;
      // Until it returns, its signal is to be aborted all the same.
      if (returned) this.#running.delete(context);
      this.#host.ended(delivery, ending);
    };
    const free = (): void => {
      if (returned) return;
      returned = true;
      this.#active--;
      cancelTimeout?.();
      if (!manual || settled) this.#running.delete(context);
      this.#host.returned(delivery);
    };
    const finish = (ending: Ending): void => {
      if (!manual || ending.type === 'failed') settle(ending);
      free();
    };
    const context = new DeliveryContext(delivery.failed + 1, group, (outcome: Outcome) => {
      if (manual) settle({ type: 'outcome', outcome });
    });
    this.#running.add(context);

    let result: unknown;
    let waits: boolean;
    try {
      result = handler(message, context);
      waits = isThenable(result); // asks what may be a proxy that throws
    } catch (error) {
      finish({ type: 'failed', error });
      return;
    }
    if (!waits) {
      finish(endingOf(result));
      return;
    }
    if (timeout !== undefined) {
      cancelTimeout = this.#options.timers.after(timeout, () => {
        const error = handlerTimeout(message, timeout);
        context.abort(error);
        finish({ type: 'failed', error });
      });
    }
    // A thenable that is no promise may throw.
    Promise.resolve(result).then(
      (value) => {
        finish(endingOf(value));
      },
      (error: unknown) => {
        finish({ type: 'failed', error });
      },
    );
  }
}

/** What a message that could not be made comes to. A schema that fails says nothing of the message: that is an attempt like others. */
export function undecoded(error: unknown): Ending {
  return isRsError(error, 'RS_INVALID_VALUE') ? { type: 'undecodable', error } : { type: 'failed', error };
}

function endingOf(result: unknown): Ending {
  if (result === undefined) return SUCCESS;
  try {
    return { type: 'outcome', outcome: toOutcome(result) };
  } catch (error) {
    return { type: 'failed', error };
  }
}

export function handlerTimeout(
  message: { readonly topic: string; readonly partition: number; readonly id: string },
  timeout: number,
): RsError {
  const { topic, partition, id } = message;
  return new RsError(
    'RS_HANDLER_TIMEOUT',
    `the handler of message ${id} of topic '${topic}', partition ${partition}, took longer than ${timeout} ms; ` +
      'pass context.signal on to what it waits for, or raise handlerTimeout',
    { details: { topic, partition, id, timeout } },
  );
}
