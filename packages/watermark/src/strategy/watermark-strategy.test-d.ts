import type { DataStream, TimestampsAndWatermarks, WatermarkGenerator } from '@rs/core';
import { WatermarkStrategy } from '../index.ts';

interface Order {
  readonly at: number;
  readonly customer: string;
}
interface RushOrder extends Order {
  readonly rush: true;
}
interface Payment {
  readonly paidAt: number;
}
declare const orders: DataStream<Order>;
declare const orderGenerator: () => WatermarkGenerator<Order>;

type Same<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? [] : ['the types differ', A, B];
declare function same<A, B>(...proof: Same<A, B>): void;

// The type of the records comes from the factory, from the assigner, or from a generator.
const annotated = WatermarkStrategy.forBoundedOutOfOrderness<Order>('5s').withTimestampAssigner((o) => o.at);
same<typeof annotated, WatermarkStrategy<Order>>();

const fromAssigner = WatermarkStrategy.forBoundedOutOfOrderness('5s').withTimestampAssigner(
  (o: Order) => o.at,
);
same<typeof fromAssigner, WatermarkStrategy<Order>>();

const fromGenerator = WatermarkStrategy.forGenerator(orderGenerator).withTimestampAssigner((o) => o.at);
same<typeof fromGenerator, WatermarkStrategy<Order>>();

const withIdleness = annotated.withIdleness('1m', { mode: 'hold' });
same<typeof withIdleness, WatermarkStrategy<Order>>();

// Straight in the call, it comes from the stream.
orders.assignTimestampsAndWatermarks(
  WatermarkStrategy.forBoundedOutOfOrderness('5s').withTimestampAssigner((o) => {
    same<typeof o, Order>();
    return o.at;
  }),
);
orders.assignTimestampsAndWatermarks(
  WatermarkStrategy.forMonotonousTimestamps()
    .withIdleness('1m')
    .withTimestampAssigner((o, recordTimestamp) => {
      same<typeof o, Order>();
      same<typeof recordTimestamp, number>();
      return Math.max(o.at, recordTimestamp);
    }),
);
const declared: TimestampsAndWatermarks<Order> = WatermarkStrategy.noWatermarks().withTimestampAssigner(
  (o) => o.at,
);
const assigned = orders.assignTimestampsAndWatermarks(declared);
same<typeof assigned, DataStream<Order>>();

// A strategy without an assigner fits every stream, one for a supertype fits too.
const anyRecords = WatermarkStrategy.forBoundedOutOfOrderness('5s');
same<typeof anyRecords, WatermarkStrategy<unknown>>();
orders.assignTimestampsAndWatermarks(anyRecords);
orders.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps());
orders.assignTimestampsAndWatermarks(
  WatermarkStrategy.noWatermarks<{ at: number }>().withTimestampAssigner((o) => o.at),
);

// An assigner can narrow the record type, never leave it.
const narrowed = annotated.withTimestampAssigner((o: RushOrder) => (o.rush ? o.at : 0));
same<typeof narrowed, WatermarkStrategy<RushOrder>>();
// @ts-expect-error a strategy for orders cannot read payments
annotated.withTimestampAssigner((p: Payment) => p.paidAt);
// @ts-expect-error a strategy for payments does not fit a stream of orders
orders.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks<Payment>());
orders.assignTimestampsAndWatermarks(
  // @ts-expect-error nor does one whose assigner reads payments
  WatermarkStrategy.noWatermarks().withTimestampAssigner((p: Payment) => p.paidAt),
);
// Where nothing says what the records are, they are unknown: not any.
WatermarkStrategy.noWatermarks().withTimestampAssigner((o) => {
  same<typeof o, unknown>();
  return 0;
});
// @ts-expect-error an assigner is synchronous
annotated.withTimestampAssigner(async (o) => o.at);
// @ts-expect-error a generator is not a factory of generators
WatermarkStrategy.forGenerator(orderGenerator());
// @ts-expect-error the modes are advance, hold and flush
annotated.withIdleness('1m', { mode: 'wait' });
// @ts-expect-error strategies are made by the static factories
new WatermarkStrategy(orderGenerator, undefined, undefined);
