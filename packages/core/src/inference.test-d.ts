/** What users need not write: every callback below is free of annotations, and its types are still exact. */
import {
  type AggregatingState,
  type Collector,
  type DataStream,
  type JobDefinition,
  type KeyedProcessFunction,
  type KeyedStream,
  type LargeMapState,
  type ListState,
  type MapState,
  type NumberField,
  type OutputTag,
  type ProcessContext,
  type ReducingState,
  type SchemaOutput,
  type SetState,
  type StandardSchema,
  type StateOf,
  type TimestampsAndWatermarks,
  type TriggerContext,
  type ValueState,
  type Window,
  type WindowAssigner,
  type WindowContext,
  type WindowedStream,
  aggregatingState,
  defineJob,
  jsonCodec,
  largeMapState,
  listState,
  mapState,
  outputTag,
  reducingState,
  setState,
  valueState,
} from './index.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Order {
  readonly kind: 'order';
  readonly customer: string;
  readonly amount: number;
}
interface Refund {
  readonly kind: 'refund';
  readonly amount: number;
}

declare const orders: DataStream<Order>;
declare const events: DataStream<Order | Refund>;
declare const strategy: TimestampsAndWatermarks<Order>;
/** As the assigners of @rs/window are: they take any element. */
declare const assigner: WindowAssigner<unknown>;

const count = valueState('count', { default: () => 0 });
const last = valueState<Order>('last');
const perItem = mapState<string, number>('per-item');
const recent = listState<Order>('recent');
const seen = setState<string>('seen');
const highest = reducingState('highest', { reduce: (a: number, b: number) => Math.max(a, b) });
const mean = aggregatingState('mean', {
  aggregate: {
    createAccumulator: () => ({ sum: 0, count: 0 }),
    add: (order: Order, { sum, count }) => ({ sum: sum + order.amount, count: count + 1 }),
    getResult: ({ sum, count }) => (sum / count).toFixed(2),
  },
});
const history = largeMapState<string, Order>('history');

export function dataStream(): void {
  const amounts = orders.map((order) => order.amount);
  same<typeof amounts, DataStream<number>>();

  const names = orders.map(async (order) => order.customer);
  same<typeof names, DataStream<string>>();

  const either = orders.map((order) => (order.amount > 0 ? order.amount : Promise.resolve(0)));
  same<typeof either, DataStream<number>>();

  const nullable = orders.map((order) => (order.amount > 0 ? order : undefined));
  same<typeof nullable, DataStream<Order | undefined>>();

  const refunds = events.filter((event) => event.kind === 'refund');
  same<typeof refunds, DataStream<Refund>>();

  const guarded = events.filter((event): event is Order => event.kind === 'order');
  same<typeof guarded, DataStream<Order>>();

  const large = events.filter((event) => event.amount > 100);
  same<typeof large, DataStream<Order | Refund>>();

  const checked = events.filter(async (event) => event.amount > 100);
  same<typeof checked, DataStream<Order | Refund>>();

  const letters = orders.flatMap((order) => order.customer.split(''));
  same<typeof letters, DataStream<string>>();

  const some = orders.flatMap((order) => (order.amount > 0 ? [order.amount] : null));
  same<typeof some, DataStream<number>>();

  const later = orders.flatMap(async (order) => new Set([order.amount]));
  same<typeof later, DataStream<number>>();

  const generated = orders.flatMap(function* (order) {
    yield order.customer;
    yield order.amount;
  });
  same<typeof generated, DataStream<string | number>>();

  const asked = orders.mapAsync(async (order, { signal, attempt }) => {
    same<typeof signal, AbortSignal>();
    same<typeof attempt, number>();
    return order.customer;
  });
  same<typeof asked, DataStream<string>>();
  const known = orders.mapAsync((order) => (order.amount > 0 ? order.amount : Promise.resolve(0)), {
    name: 'ask',
    concurrency: 4,
    ordered: false,
    timeout: '2s',
    retry: { attempts: 3, delay: 50, retryIf: () => true },
  });
  same<typeof known, DataStream<number>>();
  // @ts-expect-error -- the number of attempts is what a retry is about
  orders.mapAsync(async (order) => order, { retry: {} });
  // @ts-expect-error -- it keeps no state that a uid would be the identity of
  orders.mapAsync(async (order) => order, { uid: 'ask' });

  const all = orders.union(orders, orders);
  same<typeof all, DataStream<Order>>();

  const named = orders.union([orders, orders], { uid: 'all', name: 'all orders' });
  same<typeof named, DataStream<Order>>();
  // @ts-expect-error -- streams of other records
  orders.union([amounts]);

  const timed = [
    orders.assignTimestampsAndWatermarks(strategy),
    orders.assignTimestampsAndWatermarks(strategy, { uid: 'times' }),
    orders.assignTimestampsAndWatermarks(strategy.createWatermarkGenerator(), { uid: 'times' }),
    orders.assignTimestampsAndWatermarks(() => strategy.createWatermarkGenerator(), { uid: 'times' }),
    orders.assignTimestampsAndWatermarks((order) => order.amount, strategy.createWatermarkGenerator()),
    orders.assignTimestampsAndWatermarks(
      (order) => order.amount,
      () => strategy.createWatermarkGenerator(),
      { uid: 'times', name: 'order times' },
    ),
  ] as const;
  same<(typeof timed)[number], DataStream<Order>>();
  // @ts-expect-error -- an assigner needs a generator
  orders.assignTimestampsAndWatermarks((order: Order) => order.amount, { uid: 'times' });

  const iterated = [...orders];
  same<typeof iterated, Order[]>();

  const unchanged = orders
    .addSink((order) => void order.customer)
    .addSink(async (order) => void order.amount);
  same<typeof unchanged, DataStream<Order>>();

  orders.addSink({ open: async () => undefined, invoke: (order) => void order.customer.length });
  // @ts-expect-error -- a sink of other records
  orders.addSink({ invoke: (text: string) => void text });
}

export function keyedStream(): void {
  const keyed = orders.keyBy((order) => order.customer);
  same<typeof keyed, KeyedStream<string, Order>>();

  const composite = orders.keyBy((order) => [order.customer, order.amount] as const);
  same<typeof composite, KeyedStream<readonly [string, number], Order>>();

  const mapped = keyed.map((order) => order.amount);
  same<typeof mapped, KeyedStream<string, number>>();

  const mappedLater = keyed.map(async (order) => order.amount);
  same<typeof mappedLater, KeyedStream<string, number>>();

  const reduced = keyed.reduce((a, b) => ({ ...a, amount: a.amount + b.amount }));
  same<typeof reduced, DataStream<Order>>();

  const processed = keyed.process<number>((key, order, ctx, out) => {
    same<typeof key, string>();
    same<typeof order, Order>();
    same<typeof ctx, ProcessContext<string>>();
    same<typeof out, Collector<number>>();
    // @ts-expect-error -- the stream is of numbers
    out.collect(order.customer);
  });
  same<typeof processed, DataStream<number>>();

  const withTimers: KeyedProcessFunction<string, Order, string> = {
    open: (ctx) => void ctx.state(count),
    processElement: (_key, order, ctx) => ctx.registerEventTimeTimer(order.amount),
    onEventTime: (timestamp, key, _ctx, out) => out.collect(`${key}@${timestamp}`),
  };
  const timed = keyed.process(withTimers);
  same<typeof timed, DataStream<string>>();
}

/** Sums and extremes are of the kind that their field or stream is of. */
export function numbers(): void {
  interface Row {
    readonly n: number;
    readonly big: bigint;
    readonly maybeN?: number | null;
    readonly maybeBig: bigint | null;
    readonly either: number | bigint;
    readonly text: string;
  }
  const rows = ({} as DataStream<Row>).keyBy((row) => row.text);
  const rolling = [
    rows.sum((row) => row.n),
    rows.sum((row) => row.maybeN),
    rows.sum(() => 1),
    rows.min((row) => row.maybeN),
    rows.max((row) => row.n, { uid: 'max' }),
  ] as const;
  same<(typeof rolling)[number], DataStream<number>>();

  const bigs = [
    rows.sum((row) => row.big),
    rows.sum(() => 1n),
    rows.min((row) => row.big),
    rows.max((row) => row.maybeBig),
  ] as const;
  same<(typeof bigs)[number], DataStream<bigint>>();

  const either = rows.sum((row) => row.either);
  same<typeof either, DataStream<number | bigint>>();
  // The sum of nothing is the number 0.
  const orZero = rows.sum((row) => row.maybeBig);
  same<typeof orZero, DataStream<number | bigint>>();
  const read: NumberField<Row> = (row) => row.n;
  const unknownKind = rows.max(read);
  same<typeof unknownKind, DataStream<number | bigint>>();

  const own = rows.map((row) => row.n);
  const ownSums = [own.sum(), own.min(), own.max(undefined, { uid: 'max' }), own.sum((n) => -n)] as const;
  same<(typeof ownSums)[number], DataStream<number>>();
  const ownBigs = rows.map((row) => row.big);
  const ownBigSums = [ownBigs.sum(), ownBigs.min(), ownBigs.max()] as const;
  same<(typeof ownBigSums)[number], DataStream<bigint>>();
  const ownEither = rows.map((row) => row.either).sum();
  same<typeof ownEither, DataStream<number | bigint>>();
  const literals = ({} as KeyedStream<string, 1 | 2>).sum();
  same<typeof literals, DataStream<number>>();

  const windowed = [
    rows.window(assigner).sum((row) => row.n),
    own.window(assigner).sum(),
    own.window(assigner).sum(undefined, { uid: 'sum' }),
  ] as const;
  same<(typeof windowed)[number], DataStream<number>>();
  const windowedBigs = [rows.window(assigner).sum((row) => row.big), ownBigs.window(assigner).sum()] as const;
  same<(typeof windowedBigs)[number], DataStream<bigint>>();

  // @ts-expect-error -- a row is no number
  rows.sum();
  // @ts-expect-error -- neither for windows
  rows.window(assigner).sum();
  // @ts-expect-error -- nor for extremes
  rows.min(undefined, { uid: 'min' });
  // @ts-expect-error -- a text is no number
  rows.max((row) => row.text);
  // @ts-expect-error -- a field is read synchronously
  rows.sum(async (row) => row.n);
}

/** A library's function, for streams of any numbers. */
export function totalOf<N extends number>(stream: DataStream<N>): DataStream<number> {
  return stream
    .keyBy(() => 'all')
    .sum()
    .map((total): number => total);
}

export function windowedStream(): void {
  const windowed = orders.keyBy((order) => order.customer).window(assigner);
  same<typeof windowed, WindowedStream<string, Order>>();

  const mean = windowed.aggregate({
    createAccumulator: () => ({ count: 0, total: 0 }),
    add: (order, acc) => ({ count: acc.count + 1, total: acc.total + order.amount }),
    getResult: (acc) => acc.total / acc.count,
    merge: (a, b) => ({ count: a.count + b.count, total: a.total + b.total }),
  });
  same<typeof mean, DataStream<number>>();

  const named = windowed.aggregate(
    {
      createAccumulator: () => new Map<string, number>(),
      add: (order, acc) => acc.set(order.customer, order.amount),
      getResult: (acc) => acc.size,
    },
    (size, { key, window }) => {
      same<typeof size, number>();
      same<typeof key, string>();
      same<typeof window, Window>();
      return { key, size, start: window.start };
    },
    { uid: 'sizes' },
  );
  same<typeof named, DataStream<{ key: string; size: number; start: number }>>();

  const namedLater = windowed.aggregate(
    { createAccumulator: () => 0, add: (order, acc) => acc + order.amount, getResult: (acc) => acc },
    async (total, { key }) => `${key}: ${total}`,
  );
  same<typeof namedLater, DataStream<string>>();

  const reduced = windowed.reduce((a, b) => (a.amount > b.amount ? a : b));
  same<typeof reduced, DataStream<Order>>();

  const reducedAs = windowed.reduce(
    (a, b) => (a.amount > b.amount ? a : b),
    (order, { key, window }) => `${key} ${order.amount} ${window.end}`,
  );
  same<typeof reducedAs, DataStream<string>>();

  const counts = windowed.count();
  same<typeof counts, DataStream<number>>();

  const applied = windowed.apply<number>((key, window, elements, out) => {
    same<typeof key, string>();
    same<typeof window, Window>();
    same<typeof elements, readonly Order[]>();
    out.collect(elements.length);
  });
  same<typeof applied, DataStream<number>>();

  const processed = windowed.process<string>((_key, _window, elements, ctx, out) => {
    same<typeof ctx, WindowContext<string>>();
    for (const order of elements) out.collect(order.customer);
  });
  same<typeof processed, DataStream<string>>();
}

export function state(): void {
  const keyed = orders.keyBy((order) => order.customer);

  const n = keyed.getState(count).value();
  same<typeof n, number>();
  const previous = keyed.getState(last).value();
  same<typeof previous, Order | undefined>();

  const handles = [
    keyed.getState(count),
    keyed.getState(last),
    keyed.getMapState(perItem),
    keyed.getListState(recent),
    keyed.getSetState(seen),
    keyed.getReducingState(highest),
    keyed.getAggregatingState(mean),
    keyed.getLargeMapState(history),
  ] as const;
  same<
    typeof handles,
    readonly [
      ValueState<number>,
      ValueState<Order | undefined>,
      MapState<string, number>,
      ListState<Order>,
      SetState<string>,
      ReducingState<number>,
      AggregatingState<Order, string>,
      LargeMapState<string, Order>,
    ]
  >();

  keyed.process<never>((_key, order, ctx) => {
    const counter = ctx.state(count);
    same<typeof counter, ValueState<number>>();
    counter.update(counter.value() + 1);
    counter.update(null);
    // @ts-expect-error -- a count is a number
    counter.update('1');

    const latest = ctx.state(last);
    same<typeof latest, ValueState<Order | undefined>>();
    latest.update(order);

    const items = ctx.state(perItem);
    same<typeof items, MapState<string, number>>();
    const orNothing = items.get('x');
    same<typeof orNothing, number | undefined>();

    const list = ctx.state(recent);
    same<typeof list, ListState<Order>>();
    const set = ctx.state(seen);
    same<typeof set, SetState<string>>();
  });

  same<StateOf<typeof count>, ValueState<number>>();
  same<StateOf<typeof last>, ValueState<Order | undefined>>();
  same<StateOf<typeof perItem>, MapState<string, number>>();
  same<StateOf<typeof recent>, ListState<Order>>();
  same<StateOf<typeof seen>, SetState<string>>();
  same<StateOf<typeof highest>, ReducingState<number>>();
  same<StateOf<typeof mean>, AggregatingState<Order, string>>();
  same<StateOf<typeof history>, LargeMapState<string, Order>>();

  keyed.process<never>(async (_key, order, ctx) => {
    const top = ctx.state(highest);
    same<typeof top, ReducingState<number>>();
    top.add(order.amount);
    // @ts-expect-error -- the highest is of numbers
    top.add(order);
    const soFar = ctx.state(mean).get();
    same<typeof soFar, string | undefined>();

    const orders = ctx.state(history);
    const first = await orders.get(order.customer);
    same<typeof first, Order | undefined>();
    for await (const entry of orders.entries()) same<typeof entry, [string, Order]>();
    for await (const customer of orders.keys()) same<typeof customer, string>();
    orders.put(order.customer, order);
    // @ts-expect-error -- a key is a customer
    orders.remove(order.amount);
  });

  const coded = valueState('at', { codec: jsonCodec<Date>() });
  same<StateOf<typeof coded>, ValueState<Date | undefined>>();
  const migrated = listState('names', { schemaVersion: 2, migrate: (old) => String(old) });
  same<StateOf<typeof migrated>, ListState<string>>();

  const stored = aggregatingState('stored', {
    aggregate: {
      createAccumulator: () => 0,
      add: (text: string, length) => length + text.length,
      getResult: (length) => length,
    },
    codec: jsonCodec<number>(),
    migrate: (old) => Number(old),
  });
  same<StateOf<typeof stored>, AggregatingState<string, number>>();
  // @ts-expect-error -- what is stored are numbers
  reducingState<number>('total', { reduce: (a, b) => a + b, codec: jsonCodec<string>() });
  // @ts-expect-error -- it needs a function
  reducingState<number>('total', {});

  // @ts-expect-error -- a value state is no list
  keyed.getListState(count);
  // @ts-expect-error -- a map is no large one
  keyed.getLargeMapState(perItem);
  // @ts-expect-error -- the codec is for other values
  listState<string>('names', { codec: jsonCodec<number>() });
  // @ts-expect-error -- no such unit
  valueState('short', { ttl: '5w' });
}

/** Triggers join what the windows have stored: of an aggregating state, the accumulators. */
export function triggerState(ctx: TriggerContext): void {
  ctx.mergeState(count, (a, b) => a + b);
  ctx.mergeState(last, (a, b) => (a.amount > b.amount ? a : b));
  ctx.mergeState(highest, Math.max);
  ctx.mergeState(mean, (a, b) => ({ sum: a.sum + b.sum, count: a.count + b.count }));
  // @ts-expect-error -- a list is no single value
  ctx.mergeState(recent, (a) => a);
}

/** A stream of a narrower type can stand where one of a wider type is expected. */
export function variance(): void {
  const values: DataStream<unknown> = orders;
  const either: DataStream<Order | string> = orders;
  void [values, either];
}

export function sideOutputs(): void {
  const late = outputTag<Order>('late');
  same<typeof late, OutputTag<Order>>();

  const windowed = orders.keyBy((order) => order.customer).window(assigner);
  const lateOrders = windowed.sideOutputLateData(late).count().getSideOutput(late);
  same<typeof lateOrders, DataStream<Order>>();

  orders
    .keyBy((order) => order.customer)
    .process<never>((_key, order, ctx) => {
      ctx.output(late, order);
      ctx.output(late, { kind: 'order', customer: 'c', amount: 1 });
      // @ts-expect-error -- the side output is of orders
      ctx.output(late, order.amount);
    });

  const wide = events.keyBy((event) => event.kind);
  wide.process<never>((_key, event, ctx) => {
    // @ts-expect-error -- the same for a single record
    ctx.output(late, event);
    if (event.kind === 'order') ctx.output(late, event);
  });
}

export function jobs(): void {
  const job = defineJob((env) =>
    env
      .fromElements('a b', 'c')
      .flatMap((line) => line.split(' '))
      .addSink((word) => void word.length),
  );
  same<typeof job, JobDefinition>();

  defineJob((env) => {
    const numbers = env.fromCollection(new Set([1, 2]));
    same<typeof numbers, DataStream<number>>();
    const own = env.addSource<{ id: number }>({ run: (ctx) => ctx.collect({ id: 1 }) }, { name: 'ids' });
    same<typeof own, DataStream<{ id: number }>>();
    const lines = env.fromAsyncIterable(
      (async function* () {
        yield 'line';
      })(),
    );
    same<typeof lines, DataStream<string>>();
  });
}

export function schemas(schema: StandardSchema<string, Date>): void {
  same<SchemaOutput<typeof schema>, Date>();
}
