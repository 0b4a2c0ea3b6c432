import type { KeyedStream, Trigger, WindowAssigner, WindowedStream } from '@rs/core';
import {
  CountTrigger,
  EventTimeTrigger,
  mergeSession,
  PurgingTrigger,
  SessionWindow,
  SlidingWindow,
  TimeWindow,
  TumblingWindow,
} from './index.ts';

interface Order {
  readonly amount: number;
}

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
function expectType<T>() {
  return <U>(_value: U, _same: Equal<T, U>) => undefined;
}

declare const orders: KeyedStream<string, Order>;
declare const ofOrders: Trigger<Order>;

// Assigners and triggers fit a stream of any type without annotation, and the element type is kept.
expectType<WindowedStream<string, Order>>()(orders.window(TumblingWindow.of('1m')), true);
expectType<WindowedStream<string, Order>>()(orders.window(SlidingWindow.of(60_000, '10s')), true);
expectType<WindowedStream<string, Order>>()(orders.window(SessionWindow.withGap('30s')), true);
orders.window(TumblingWindow.of('1m')).trigger(EventTimeTrigger.create());
orders.window(TumblingWindow.of('1m')).trigger(CountTrigger.of(3));
orders.window(TumblingWindow.of('1m')).trigger(PurgingTrigger.of(CountTrigger.of(3)));
export const forAnyElement: WindowAssigner<unknown> = TumblingWindow.of(1);
export const forOrders: WindowAssigner<Order> = forAnyElement;

// Purging keeps the element type of the trigger it wraps.
expectType<PurgingTrigger<Order>>()(PurgingTrigger.of(ofOrders), true);
expectType<PurgingTrigger<unknown>>()(PurgingTrigger.of(CountTrigger.of(3)), true);

// Offsets may be negative texts; other texts and options do not compile.
TumblingWindow.of('1d', { offset: '-8h' });
// @ts-expect-error -- no such unit
TumblingWindow.of('1 minute');
// @ts-expect-error -- sessions are on no grid
SessionWindow.withGap('1m', { offset: 5 });
// @ts-expect-error -- tumbling windows never touch in a way that matters
TumblingWindow.of('1m', { touching: 'merge' });
// @ts-expect-error -- made by `of`
new TumblingWindow(1, 0, 'event');

// What an engine keeps for a session comes back with its type.
const payload = { start: 0, end: 5, count: 1 };
expectType<readonly (typeof payload)[]>()(
  mergeSession([payload], new TimeWindow(0, 5), 'separate').absorbed,
  true,
);
