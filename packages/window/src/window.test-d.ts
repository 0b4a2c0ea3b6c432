import type { Evictor, KeyedStream, Trigger, WindowAssigner, WindowedStream } from '@rs/core';
import {
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountEvictor,
  CountTrigger,
  CountWindow,
  DeltaEvictor,
  DeltaTrigger,
  EventTimeTrigger,
  GlobalWindow,
  mergeSession,
  NeverTrigger,
  PurgingTrigger,
  SessionWindow,
  SlidingWindow,
  TimeEvictor,
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
expectType<WindowedStream<string, Order>>()(orders.window(GlobalWindow.create()), true);
expectType<WindowedStream<string, Order>>()(orders.window(CountWindow.of(100)), true);
expectType<WindowedStream<string, Order>>()(orders.window(CountWindow.of(100, 10)), true);
orders.window(TumblingWindow.of('1m')).trigger(EventTimeTrigger.create());
orders.window(TumblingWindow.of('1m')).trigger(CountTrigger.of(3));
orders.window(TumblingWindow.of('1m')).trigger(PurgingTrigger.of(CountTrigger.of(3)));
orders.window(TumblingWindow.of('1m')).trigger(ContinuousEventTimeTrigger.of('10s'));
orders.window(GlobalWindow.create()).trigger(ContinuousProcessingTimeTrigger.of('10s'));
orders.window(GlobalWindow.create()).trigger(NeverTrigger.create());
export const forAnyElement: WindowAssigner<unknown> = TumblingWindow.of(1);
export const forOrders: WindowAssigner<Order> = forAnyElement;

// Purging keeps the element type of the trigger it wraps.
expectType<PurgingTrigger<Order>>()(PurgingTrigger.of(ofOrders), true);
expectType<PurgingTrigger<unknown>>()(PurgingTrigger.of(CountTrigger.of(3)), true);

// A delta function takes the element type from where it is used; within a composition it names it.
orders.window(GlobalWindow.create()).trigger(DeltaTrigger.of(5, (last, now) => now.amount - last.amount));
orders.window(GlobalWindow.create()).trigger(
  PurgingTrigger.of(
    AnyTrigger.of(
      CountTrigger.of(3),
      DeltaTrigger.of(5, (last: Order, now: Order) => now.amount - last.amount),
    ),
  ),
);
expectType<DeltaTrigger<Order>>()(
  DeltaTrigger.of(5, (last: Order, now: Order) => now.amount - last.amount),
  true,
);
expectType<AnyTrigger<Order>>()(AnyTrigger.of(ofOrders, ofOrders), true);
expectType<AnyTrigger<unknown>>()(AnyTrigger.of(CountTrigger.of(3), EventTimeTrigger.create()), true);
expectType<AnyTrigger<Order>>()(AnyTrigger.of(CountTrigger.of(3), ofOrders, EventTimeTrigger.create()), true);
orders.window(GlobalWindow.create()).trigger(AnyTrigger.of(CountTrigger.of(3), ofOrders));
// @ts-expect-error -- a part for orders makes the whole one for orders
export const forNumbers: Trigger<number> = AnyTrigger.of(CountTrigger.of(3), ofOrders);
// @ts-expect-error -- orders have no price
orders.window(GlobalWindow.create()).trigger(DeltaTrigger.of(5, (last, now) => now.price - last.price));

// Evictors fit a stream of any type without annotation.
export const evictors: Evictor<Order>[] = [
  CountEvictor.of(3),
  TimeEvictor.of('5s', { after: true }),
  DeltaEvictor.of(5, (older, newer) => newer.amount - older.amount),
];
// @ts-expect-error -- an option, not a position
CountEvictor.of(3, true);
// @ts-expect-error -- this evictor reads what orders do not have
export const wrongEvictor: Evictor<Order> = DeltaEvictor.of(5, (a: { price: number }) => a.price);

// An assigner's default evictor is one for the elements of the stream.
export const evictorOfCounts: Evictor<Order> | undefined = CountWindow.of(3, 1).getDefaultEvictor();
export const evictorOfAny: Evictor<Order> | undefined = forOrders.getDefaultEvictor?.();

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
