import {
  type AggregateFunction,
  type DataStream,
  defineJob,
  type JobDefinition,
  type KeyedProcessFunction,
  topic,
  type ValueState,
  valueState,
  type WindowAssigner,
} from '@rs/core';
import { redisHash } from '@rs/runtime-redis';
import { WatermarkStrategy } from '@rs/watermark';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import type { Payment } from '../../load/payment.ts';
import { windowName, type Work } from '../../load/work.ts';

export const PAYMENTS = topic<Payment>('payments');
/** Of the hashes with sums of windows. */
export const SINK = 'sums';

interface WindowSum {
  readonly name: string;
  readonly sum: number;
}

/** The work as users would write it, from the beginning of the topic to what it holds at the start. */
export function jobOf(work: Work, group: string): JobDefinition {
  return defineJob((env) => {
    const payments = env.fromTopic(PAYMENTS, group, { until: 'now' });
    if (work.kind === 'sum') keptSums(payments);
    else windowSums(payments, assignerOf(work));
  });
}

/** The sums are state, and nothing is sent on: a job needs a sink all the same. */
export function keptSums(payments: DataStream<Payment>): void {
  payments
    .keyByMessageKey({ uid: 'by-customer' })
    .process(addUp(), { uid: 'sums' })
    .addSink(() => undefined, { uid: 'nothing' });
}

function addUp(): KeyedProcessFunction<string, Payment, never> {
  const descriptor = valueState('sum', { default: () => 0 });
  let sum: ValueState<number>;
  return {
    open: (ctx) => {
      sum = ctx.state(descriptor);
    },
    processElement: (_, { amount }) => sum.update(sum.value() + amount),
  };
}

function windowSums(payments: DataStream<Payment>, assigner: WindowAssigner<unknown>): void {
  payments
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forBoundedOutOfOrderness<Payment>(0).withTimestampAssigner(({ at }) => at),
      { uid: 'times' },
    )
    .keyByMessageKey({ uid: 'by-customer' })
    .window(assigner)
    .aggregate(
      sumOfAmounts,
      (sum, { key, window }): WindowSum => ({ name: windowName(key, window.start, window.end), sum }),
      { uid: 'windows' },
    )
    .addSink(redisHash<WindowSum>(SINK, { field: ({ name }) => name, value: ({ sum }) => sum }), {
      uid: 'sums',
    });
}

const sumOfAmounts: AggregateFunction<Payment, number, number> = {
  createAccumulator: () => 0,
  add: ({ amount }, sum) => sum + amount,
  getResult: (sum) => sum,
  merge: (a, b) => a + b,
};

function assignerOf(work: Exclude<Work, { readonly kind: 'sum' }>): WindowAssigner<unknown> {
  switch (work.kind) {
    case 'tumbling':
      return TumblingWindow.of(work.size);
    case 'sliding':
      return SlidingWindow.of(work.size, work.slide);
    case 'sessions':
      return SessionWindow.withGap(work.gap);
  }
}
