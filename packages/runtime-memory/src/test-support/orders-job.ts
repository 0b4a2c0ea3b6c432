import { defineJob, type JobDefinition, outputTag, type StandardSchema, topic, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';

export interface Order {
  readonly customer: string;
  readonly amount: number;
}

function isOrder(value: unknown): value is Order {
  const { customer, amount } = (value ?? {}) as Partial<Order>;
  return typeof customer === 'string' && typeof amount === 'number';
}

const schema: StandardSchema<Order> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => (isOrder(value) ? { value } : { issues: [{ message: 'is no order' }] }),
  },
};

export const orders = topic('orders', { value: schema });
export const tooLate = outputTag<Order>('too-late');
export const spent = valueState('spent', { default: () => 0 });

/** Spending per customer: of ten seconds, and in all; whoever spends more than 100 is an alert. */
export const spending: JobDefinition = defineJob((env) => {
  const byCustomer = env
    .fromTopic(orders, 'billing')
    .keyBy(({ customer }) => customer, { uid: 'by-customer' });
  byCustomer
    .window(TumblingWindow.of('10s'))
    .sideOutputLateData(tooLate)
    .apply<string>(
      (customer, { start }, all, out) =>
        out.collect(`${customer} ${start / 1000}s: ${all.reduce((sum, { amount }) => sum + amount, 0)}`),
      { uid: 'windows' },
    )
    .addSink(notCalled, { name: 'windows-out' });
  const total = byCustomer.getState(spent);
  byCustomer
    .process<string>(
      (customer, { amount }, _ctx, out) => {
        total.update(total.value() + amount);
        if (total.value() > 100) out.collect(`${customer}: ${total.value()}`);
      },
      { uid: 'totals' },
    )
    .addSink(notCalled, { uid: 'alerts' });
});

/** Sinks are none of a test driver's business. */
export function notCalled(): never {
  throw new Error('a sink was called');
}
