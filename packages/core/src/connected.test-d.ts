/** Operations of two inputs: what users need not write, and what the types refuse. */
import {
  type BroadcastConnectedStreams,
  type BroadcastStream,
  type Collector,
  type ConnectedStreams,
  type CoProcessContext,
  type DataStream,
  type KeyedBroadcastConnectedStreams,
  type KeyedConnectedStreams,
  type KeyedStream,
  type MapState,
  type ProcessContext,
  type ReadonlyMapState,
  type ValueState,
  type WindowAssigner,
  type WindowContext,
  jsonCodec,
  listState,
  mapState,
  outputTag,
  valueState,
} from './index.ts';

type Equal<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** Compiles only where the two types are the same. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : ['the types differ']): void {}

interface Order {
  readonly customer: string;
  readonly amount: number;
}
interface Profile {
  readonly name: string;
  readonly vip: boolean;
}
interface Rule {
  readonly id: string;
  readonly limit: number;
}

declare const orders: DataStream<Order>;
declare const profiles: DataStream<Profile>;
declare const rules: DataStream<Rule>;
declare const assigner: WindowAssigner<unknown>;

const ordersByCustomer = orders.keyBy((order) => order.customer);
const profilesByName = profiles.keyBy((profile) => profile.name);
const limits = mapState<string, Rule>('limits');

export function unkeyed(): void {
  const connected = orders.connect(profiles);
  same<typeof connected, ConnectedStreams<Order, Profile>>();

  const texts = connected.process<string>({
    processElement1: (order, ctx, out) => {
      same<typeof order, Order>();
      same<typeof ctx, CoProcessContext>();
      same<typeof out, Collector<string>>();
      // @ts-expect-error -- without a key there are no timers
      void ctx.registerEventTimeTimer;
    },
    processElement2: async (profile, _ctx, out) => {
      same<typeof profile, Profile>();
      out.collect(profile.name);
    },
  });
  same<typeof texts, DataStream<string>>();

  const mapped = connected.map(
    (order) => order.amount,
    async (profile) => profile.name,
  );
  same<typeof mapped, DataStream<string | number>>();

  const alike = connected.map<string>(
    (order) => order.customer,
    (profile) => profile.name,
  );
  same<typeof alike, DataStream<string>>();

  const flat = connected.flatMap(
    (order) => [order.amount],
    (profile) => (profile.vip ? [profile] : null),
    { uid: 'flat' },
  );
  same<typeof flat, DataStream<number | Profile>>();

  const keyed = connected.keyBy(
    (order) => order.customer,
    (profile) => profile.name,
  );
  same<typeof keyed, KeyedConnectedStreams<string, Order, Profile>>();
  // @ts-expect-error -- keys of two kinds never meet
  connected.keyBy((order): string => order.customer, (profile): boolean => profile.vip); // prettier-ignore
}

export function keyed(): void {
  const connected = ordersByCustomer.connect(profilesByName, { uid: 'enrich' });
  same<typeof connected, KeyedConnectedStreams<string, Order, Profile>>();

  const count = connected.getState(valueState('count', { default: () => 0 }));
  same<typeof count, ValueState<number>>();

  const enriched = connected.process<Order & Profile>({
    open: (ctx) => void ctx.state(valueState<Profile>('profile')),
    processElement1: (key, order, ctx, out) => {
      same<typeof key, string>();
      same<typeof order, Order>();
      same<typeof ctx, ProcessContext<string>>();
      same<typeof out, Collector<Order & Profile>>();
    },
    processElement2: (_key, profile) => void profile.vip,
    onEventTime: (timestamp, key, ctx) => {
      same<typeof timestamp, number>();
      same<typeof key, string>();
      ctx.registerEventTimeTimer(timestamp + 1);
    },
  });
  same<typeof enriched, DataStream<Order & Profile>>();
}

export function cogrouped(): void {
  const windows = ordersByCustomer.cogroup(profilesByName).window(assigner);
  const texts = windows
    .sideOutputLateData(outputTag<Order | Profile>('late'))
    .allowedLateness('1m')
    .apply<string>(
      (key, _window, lefts, rights, out) => {
        same<typeof key, string>();
        same<typeof lefts, readonly Order[]>();
        same<typeof rights, readonly Profile[]>();
        out.collect(key);
      },
      { leftCodec: jsonCodec<Order>() },
    );
  same<typeof texts, DataStream<string>>();

  windows.process<never>((_key, _window, _lefts, _rights, ctx) => {
    same<typeof ctx, WindowContext<string>>();
  });
  ordersByCustomer
    .connect(profilesByName)
    .window(assigner)
    .apply<never>(() => undefined);
  // @ts-expect-error -- late records are of either side
  windows.sideOutputLateData(outputTag<string>('late'));
}

export function broadcast(): void {
  const shared = rules.broadcast(limits);
  same<typeof shared, BroadcastStream<Rule>>();
  same<typeof shared, ReturnType<typeof rules.broadcast>>();
  void rules.broadcast([limits, mapState<number, string>('names')], { uid: 'rules' });

  const keyedConnected = ordersByCustomer.connect(shared, { uid: 'limited' });
  same<typeof keyedConnected, KeyedBroadcastConnectedStreams<string, Order, Rule>>();
  keyedConnected.process<string>({
    processElement: (key, order, ctx, out) => {
      const readable = ctx.broadcastState(limits);
      same<typeof readable, ReadonlyMapState<string, Rule>>();
      // @ts-expect-error -- only broadcast records change it
      void readable.put;
      ctx.registerEventTimeTimer(1);
      out.collect(key + order.customer);
    },
    processBroadcastElement: (rule, ctx) => {
      const writable = ctx.broadcastState(limits);
      same<typeof writable, MapState<string, Rule>>();
      writable.put(rule.id, rule);
      // @ts-expect-error -- there is no key
      void ctx.key;
      // @ts-expect-error -- and so no timer
      void ctx.registerEventTimeTimer;
      // @ts-expect-error -- nor keyed state
      void ctx.state;
    },
    onEventTime: (_timestamp, _key, ctx) => void ctx.broadcastState(limits).get('a'),
  });

  const unkeyedConnected = orders.connect(shared);
  same<typeof unkeyedConnected, BroadcastConnectedStreams<Order, Rule>>();
  unkeyedConnected.process<number>({
    processElement: (order, ctx, out) => {
      out.collect(order.amount - (ctx.broadcastState(limits).get('a')?.limit ?? 0));
      // @ts-expect-error -- only broadcast records change it
      void ctx.broadcastState(limits).clear;
    },
    processBroadcastElement: (rule, ctx) => ctx.broadcastState(limits).put(rule.id, rule),
  });
}

export function refused(numbered: KeyedStream<number, Profile>): void {
  // @ts-expect-error -- one has keys, the other has none
  ordersByCustomer.connect(profiles);
  // @ts-expect-error -- the same the other way round
  orders.connect(profilesByName);
  // @ts-expect-error -- keys of two kinds never meet
  ordersByCustomer.connect(numbered);
  // @ts-expect-error -- nor in windows
  ordersByCustomer.cogroup(numbered);
  // @ts-expect-error -- no stream
  orders.connect([1, 2, 3]);
  // @ts-expect-error -- a broadcast stream has no windows
  ordersByCustomer.cogroup(rules.broadcast(limits));
  // @ts-expect-error -- broadcast states are maps
  rules.broadcast(listState<Rule>('list'));
  // @ts-expect-error -- a broadcast stream is read where it is connected
  void rules.broadcast(limits).map;
  // @ts-expect-error -- the second callback is missing
  ordersByCustomer.connect(profilesByName).process<never>({ processElement1: () => undefined });
}

/** Streams stay covariant: one of a narrower type can stand where one of a wider type is expected. */
export function variance(): void {
  const values: DataStream<unknown> = orders;
  const connected: ConnectedStreams<unknown, unknown> = orders.connect(profiles);
  const keyedValues: KeyedStream<string, unknown> = ordersByCustomer;
  const shared: BroadcastStream<unknown> = rules.broadcast(limits);
  // @ts-expect-error -- not the other way round
  const narrower: DataStream<Order> = values;
  // @ts-expect-error -- the same
  const narrowerShared: BroadcastStream<Rule> = shared;
  void [connected, keyedValues, narrower, narrowerShared];
}
