import { mapState, topic, valueState } from '@rs/core';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const RULES = topic<Event>('rules');
const LIMITS = mapState<string, number>('limits');
const TOTAL = valueState('total', { default: () => 0 });

const keyOfEvent = ({ key }: Event) => key;

export const BROADCAST = inArea('several inputs', [
  {
    name: 'broadcast: rules that all records behind them see',
    input: events('rule:3@1 a:5@2 b:2@3 rule:6@4 a:5@5 b:9@6'),
    define(env, sink) {
      const all = eventsOf(env);
      const rules = all.filter(({ key }) => key === 'rule').broadcast(LIMITS);
      sink(
        'out',
        all
          .filter(({ key }) => key !== 'rule')
          .connect(rules)
          .process<string>({
            processElement({ key, amount }, ctx, out) {
              const limit = ctx.broadcastState(LIMITS).get('rule') ?? Infinity;
              out.collect(`${key} ${amount} ${amount >= limit ? 'above' : 'below'} ${limit}`);
            },
            processBroadcastElement({ key, amount }, ctx, out) {
              ctx.broadcastState(LIMITS).put(key, amount);
              out.collect(`limit ${amount}`);
            },
          }),
      );
    },
    expected: {
      out: ['limit 3', 'a 5 above 3', 'b 2 below 3', 'limit 6', 'a 5 below 6', 'b 9 above 6'],
    },
  },
  {
    name: 'broadcast to a keyed stream: state of the key beside that of all',
    input: events('a:5@1 rule:10@2 a:6@3 b:4@4 rule:3@5 b:1@6'),
    define(env, sink) {
      const all = eventsOf(env);
      const rules = all.filter(({ key }) => key === 'rule').broadcast(LIMITS);
      sink(
        'out',
        all
          .filter(({ key }) => key !== 'rule')
          .keyBy(keyOfEvent)
          .connect(rules)
          .process<string>({
            open: (ctx) => void ctx.state(TOTAL),
            processElement(key, { amount }, ctx, out) {
              const total = ctx.state(TOTAL);
              total.update(total.value() + amount);
              const limit = ctx.broadcastState(LIMITS).get('rule');
              out.collect(`${key} ${total.value()} of ${limit ?? 'any'}`);
            },
            processBroadcastElement: ({ key, amount }, ctx) => ctx.broadcastState(LIMITS).put(key, amount),
          }),
      );
    },
    expected: { out: ['a 5 of any', 'a 11 of 10', 'b 4 of 10', 'b 5 of 3'] },
  },
  {
    name: 'a broadcast record is processed once in each partition',
    topics: { events: 4, rules: 1 },
    input: [...events('a:1@1 b:2@2'), ...events('x:7@1 y:8@2', RULES)],
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .connect(eventsOf(env, RULES).broadcast(LIMITS))
          .process<string>({
            processElement: ({ key, amount }, _ctx, out) => out.collect(`${key} ${amount}`),
            processBroadcastElement: ({ key, amount }, _ctx, out) => out.collect(`rule ${key} ${amount}`),
          }),
      );
    },
    expected: {
      out: ['a 1', 'b 2', ...Array<string>(4).fill('rule x 7'), ...Array<string>(4).fill('rule y 8')],
    },
  },
  {
    name: 'at the end of both inputs, every key sees all that was broadcast',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: [...events('a:1@1 b:2@2 c:3@3 d:4@4'), ...events('x:7@1 y:8@2 x:9@3', RULES)],
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(keyOfEvent)
          .connect(eventsOf(env, RULES).broadcast(LIMITS))
          .process<string>({
            processElement: (_key, _event, ctx) => ctx.registerEventTimeTimer(1_000),
            processBroadcastElement: ({ key, amount }, ctx) => ctx.broadcastState(LIMITS).put(key, amount),
            onEventTime(_time, key, ctx, out) {
              const limits = ctx.broadcastState(LIMITS);
              out.collect(`${key} ${[...limits.keys()].sort().join()} ${limits.get('x')}`);
            },
          }),
      );
    },
    expected: { out: ['a x,y 9', 'b x,y 9', 'c x,y 9', 'd x,y 9'] },
  },
  {
    name: 'whoever only reads a broadcast state must not change it',
    input: events('rule:3@1 a:5@2'),
    define(env, sink) {
      const all = eventsOf(env);
      sink(
        'out',
        all
          .filter(({ key }) => key !== 'rule')
          .connect(all.filter(({ key }) => key === 'rule').broadcast(LIMITS))
          .process<void>({
            // As a JavaScript caller may.
            processElement: (_event, ctx) => (ctx.broadcastState(LIMITS) as { clear?(): void }).clear?.(),
            processBroadcastElement: () => undefined,
          }),
      );
    },
    expected: {},
    fails: 'RS_BROADCAST_READ_ONLY',
  },
]);
