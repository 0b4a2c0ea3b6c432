/** What handlers may return, and that their messages are typed. */
import type { Message, Topic } from '@rs/core';
import {
  type BatchContext,
  type BatchHandler,
  type ConsumerSubscriptionOptions,
  type DeadLetters,
  type HandlerContext,
  type MessageHandler,
  type MessageResult,
  type Mq,
  type Outcome,
  outcome,
} from '../index.ts';
import type { Consumer } from './consumer.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Order {
  readonly customer: string;
}

declare const consumer: Consumer;
declare const mq: Mq;
declare const orders: Topic<Order>;
declare const handler: MessageHandler<Order>;
declare const batchHandler: BatchHandler<Order>;
declare function work(order: Order, signal: AbortSignal): Promise<void>;
declare const results: readonly MessageResult[];

export function handlers(): void {
  consumer.subscribe(orders, handler);
  consumer.subscribe(orders, (message, context) => {
    same<typeof message, Message<Order>>();
    same<typeof context, HandlerContext>();
    context.settle(outcome.retry({ delay: '5s' }));
  });
  consumer.subscribe(orders, async ({ value }, { signal }) => {
    await work(value, signal);
  });
  consumer.subscribe(orders, ({ value }, { signal }) => work(value, signal));
  consumer.subscribe(orders, () => 'RETRY');
  consumer.subscribe(orders, ({ value }) => {
    same<typeof value, Order>();
    return 'SUCCESS';
  });
  consumer.subscribe(orders, () => ({ type: 'success' }));
  consumer.subscribe(orders, async () => ({ type: 'retry', delay: 5 }));
  consumer.subscribe(orders, () => {
    throw new TypeError('no order');
  });
  consumer.subscribe(orders, async () => 'DEAD_LETTER');
  consumer.subscribe(orders, async ({ value }, { signal }) => {
    await work(value, signal);
    return 'SUCCESS';
  });
  consumer.subscribe(orders, ({ value }, { signal }) =>
    value.customer === '' ? undefined : work(value, signal),
  );
  consumer.subscribe(orders, async ({ value }) => {
    if (value.customer === '') return outcome.deadLetter('no customer');
    return value.customer === 'later' ? outcome.retry() : undefined;
  });
  consumer.subscribe(orders, ({ value }) => (value.customer === '' ? 'FAIL' : outcome.success()));

  // @ts-expect-error no such result
  consumer.subscribe(orders, () => 'success');
  // @ts-expect-error no such result, with a promise either
  consumer.subscribe(orders, async () => 'success');
  // @ts-expect-error a number says nothing
  consumer.subscribe(orders, () => 1);
  // @ts-expect-error a delay is needed as a duration
  consumer.subscribe(orders, () => outcome.retry({ delay: 'soon' }));
  // @ts-expect-error a reason is needed
  consumer.subscribe(orders, () => outcome.deadLetter());
}

export function namedTopics(): void {
  consumer.subscribe('orders', (message) => {
    same<typeof message, Message<unknown>>();
  });
  consumer.subscribe('orders', async () => 'RETRY');
  // @ts-expect-error by a name nothing is known of the values
  consumer.subscribe('orders', handler);
  // @ts-expect-error nor may it be claimed
  consumer.subscribe('orders', async (_message: Message<Order>) => undefined);
  same<ReturnType<typeof namedLetters>, DeadLetters<unknown>>();
  same<ReturnType<typeof typedLetters>, DeadLetters<Order>>();
}

const namedLetters = () => mq.deadLetters('orders');
const typedLetters = () => mq.deadLetters(orders);

export function manually({ settle }: HandlerContext): void {
  settle('RETRY');
  settle(outcome.deadLetter('unwanted'));
  // @ts-expect-error nothing is no outcome
  settle();
}

export function batchHandlers(): void {
  consumer.subscribeBatch(orders, batchHandler);
  consumer.subscribeBatch(orders, (messages, context) => {
    same<typeof messages, readonly Message<Order>[]>();
    same<typeof context, BatchContext>();
  });
  consumer.subscribeBatch(orders, async (messages) => messages.map((): Outcome => outcome.success()));
  consumer.subscribeBatch(orders, () => results);
  consumer.subscribeBatch(orders, (messages) =>
    messages.map(({ value }) => (value.customer === '' ? 'FAIL' : undefined)),
  );

  consumer.subscribeBatch('orders', (messages) => {
    same<typeof messages, readonly Message<unknown>[]>();
  });
  // @ts-expect-error by a name nothing is known of the values
  consumer.subscribeBatch('orders', batchHandler);
  // @ts-expect-error one result for each message, not one for all
  consumer.subscribeBatch(orders, () => 'RETRY');
}

export const options: ConsumerSubscriptionOptions = {
  from: '1700000000000-0',
  retry: { policy: (_error, attempt) => (attempt > 2 ? 'deadLetter' : { delay: '10s' }) },
};

// @ts-expect-error not an id
export const noId: ConsumerSubscriptionOptions = { from: 'first' };

export const noPolicy: ConsumerSubscriptionOptions = {
  // @ts-expect-error the decision is synchronous
  retry: { policy: async () => 'retry' },
};

export function outcomes(result: Outcome): void {
  if (result.type === 'retry') same<typeof result.delay, number | undefined>();
  if (result.type === 'deadLetter') same<typeof result.reason, string>();
}
