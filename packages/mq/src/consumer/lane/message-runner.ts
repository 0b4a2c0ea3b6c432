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

/** One call of the handler. */
class Call {
  readonly delivery: Delivery;
  readonly context: DeliveryContext;
  settled = false;
  returned = false;
  cancelTimeout: (() => void) | undefined;

  constructor(delivery: Delivery, context: DeliveryContext) {
    this.delivery = delivery;
    this.context = context;
  }
}

/** Calls a handler with one message at a time. */
export class MessageRunner implements Runner {
  readonly #options: MessageRunnerOptions;
  readonly #host: RunnerHost;
  /** Calls that have not returned or are not settled. One that is both at once never comes in here. */
  readonly #running = new Set<Call>();
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
    for (const { context } of this.#running) context.abort(reason);
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

  /** There is one call per message: a handler that returns at once costs no closure and no promise. */
  #call(delivery: Delivery, message: Message<unknown>): void {
    const { handler, group, ack, timeout } = this.#options;
    const settle =
      ack === 'manual'
        ? (outcome: Outcome) => {
            this.#settle(call, { type: 'outcome', outcome });
          }
        : undefined;
    const call = new Call(delivery, new DeliveryContext(delivery.failed + 1, group, settle));

    let result: unknown;
    let waits: boolean;
    try {
      result = handler(message, call.context);
      waits = isThenable(result); // asks what may be a proxy that throws
    } catch (error) {
      this.#finish(call, { type: 'failed', error });
      return;
    }
    if (!waits) {
      this.#finish(call, endingOf(result));
      return;
    }
    this.#running.add(call);
    if (timeout !== undefined) {
      call.cancelTimeout = this.#options.timers.after(timeout, () => {
        const error = handlerTimeout(message, timeout);
        call.context.abort(error);
        this.#finish(call, { type: 'failed', error });
      });
    }
    // A thenable that is no promise may throw.
    Promise.resolve(result).then(
      (value) => {
        this.#finish(call, endingOf(value));
      },
      (error: unknown) => {
        this.#finish(call, { type: 'failed', error });
      },
    );
  }

  #finish(call: Call, ending: Ending): void {
    // With manual acknowledgement only nothing says nothing.
    if (this.#options.ack === 'auto' || ending !== SUCCESS) this.#settle(call, ending);
    this.#free(call);
  }

  /** A handler has one outcome: the first one counts, whoever says it. */
  #settle(call: Call, ending: Ending): void {
    if (call.settled) return;
    call.settled = true;
    // Until it returns, its signal is to be aborted all the same.
    if (call.returned) this.#running.delete(call);
    this.#host.ended(call.delivery, ending);
  }

  #free(call: Call): void {
    if (call.returned) return;
    call.returned = true;
    this.#active--;
    call.cancelTimeout?.();
    if (call.settled) this.#running.delete(call);
    else this.#running.add(call);
    this.#host.returned(call.delivery);
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
