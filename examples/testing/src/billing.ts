import { defineJob, type KeyedProcessFunction, outputTag, topic, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';

/** What happens to an order. */
export interface OrderEvent {
  readonly order: string;
  readonly customer: string;
  readonly total: number;
  readonly what: 'placed' | 'paid';
}

export const orders = topic<OrderEvent>('orders');

/** Payments that came after the hour's revenue was told. */
export const tooLate = outputTag<OrderEvent>('too-late');

/** When the customer is reminded of an order that is not paid. */
export const deadline = valueState<number>('deadline');

const HALF_AN_HOUR = 30 * 60_000;

const remindUnpaid: KeyedProcessFunction<string, OrderEvent, string> = {
  open: (ctx) => void ctx.state(deadline),
  processElement(_order, { what }, ctx) {
    const due = ctx.state(deadline);
    if (what === 'placed') {
      due.update(ctx.currentProcessingTime() + HALF_AN_HOUR);
      ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + HALF_AN_HOUR);
      return;
    }
    const time = due.value();
    if (time !== undefined) ctx.deleteProcessingTimeTimer(time);
    due.clear();
  },
  onProcessingTime(_time, order, ctx, out) {
    ctx.state(deadline).clear();
    out.collect(`order ${order} is not paid`);
  },
};

/** The revenue of each customer and hour, and a reminder of orders that are not paid within half an hour. */
export const billing = defineJob((env) => {
  const events = env.fromTopic(orders, 'billing');

  events
    .filter(({ what }) => what === 'paid')
    .keyBy(({ customer }) => customer, { uid: 'by-customer' })
    .window(TumblingWindow.of('1h'))
    .sideOutputLateData(tooLate)
    .apply<{ customer: string; hour: number; revenue: number }>(
      (customer, { start }, payments, out) => {
        const revenue = payments.reduce((sum, { total }) => sum + total, 0);
        out.collect({ customer, hour: start / 3_600_000, revenue });
      },
      { uid: 'revenue' },
    )
    .addSink((revenue) => console.log(revenue), { uid: 'revenue-out' });

  events
    .keyBy(({ order }) => order, { uid: 'by-order' })
    .process(remindUnpaid, { uid: 'remind' })
    .addSink((reminder) => console.log(reminder), { uid: 'reminders' });
});
