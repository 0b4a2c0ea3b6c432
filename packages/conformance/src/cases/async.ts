import { type StreamEnvironment, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING, type InputMessage } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { bounds, firstWord } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';
import { userError } from './user-error.ts';

/** Answers after as many turns as the amount says. */
async function slowly(event: Event): Promise<Event> {
  for (let i = 0; i < event.amount; i++) await Promise.resolve();
  return event;
}

const amountOf = ({ amount }: Event) => amount;
const keyOfEvent = ({ key }: Event) => key;

/** What each record of a key comes to see of the watermark. */
function seen(env: StreamEnvironment, ordered: boolean) {
  return eventsOf(env)
    .mapAsync(slowly, { ordered, concurrency: 3 })
    .keyBy(() => 'all')
    .process<string>((_all, { amount }, ctx, out) =>
      out.collect(`${amount}, watermark ${ctx.currentWatermark()}`),
    );
}

const TIED: InputMessage[] = events('a:9@10 a:1@10 a:5@10 a:2@20 a:8@20 a:1@20 a:4@30');

export const ASYNC = inArea('async', [
  {
    name: 'mapAsync keeps the order, although later answers come first',
    partitions: ANY_PARTITIONING,
    async: true,
    input: events('a:9@1 a:1@2 a:5@3 a:2@4 a:8@5'),
    define: (env, sink) => sink('out', eventsOf(env).mapAsync(slowly, { concurrency: 3 }).map(amountOf)),
    expected: { out: [9, 1, 5, 2, 8] },
  },
  {
    name: 'mapAsync: watermarks keep their place among the records',
    async: true,
    input: TIED,
    define: (env, sink) => sink('out', seen(env, true)),
    expected: {
      out: [
        '9, watermark 9',
        '1, watermark 9',
        '5, watermark 9',
        '2, watermark 19',
        '8, watermark 19',
        '1, watermark 19',
        '4, watermark 29',
      ],
    },
  },
  {
    name: 'mapAsync without order: no record changes sides with a watermark',
    async: true,
    anyOrder: true,
    input: TIED,
    define: (env, sink) => sink('out', seen(env, false)),
    expected: {
      out: [
        '9, watermark 9',
        '1, watermark 9',
        '5, watermark 9',
        '2, watermark 19',
        '8, watermark 19',
        '1, watermark 19',
        '4, watermark 29',
      ],
    },
  },
  {
    name: 'mapAsync calls again what has failed',
    partitions: ANY_PARTITIONING,
    async: true,
    input: events('a:1@1 a:2@2 a:3@3'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).mapAsync(
          async ({ amount }, { attempt }) => {
            if (attempt < amount) throw userError(`attempt ${attempt}`);
            return `${amount} at attempt ${attempt}`;
          },
          { retry: { attempts: 3, delay: 0 } },
        ),
      );
    },
    expected: { out: ['1 at attempt 1', '2 at attempt 2', '3 at attempt 3'] },
  },
  {
    name: 'mapAsync gives up after the last attempt, or at once where another is not worth it',
    async: true,
    input: events('a:1@1'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env).mapAsync(
          async () => {
            throw userError('always');
          },
          { retry: { attempts: 1_000, delay: 0, retryIf: (error) => !(error instanceof TypeError) } },
        ),
      );
    },
    expected: {},
    fails: 'RS_USER_FUNCTION_FAILED',
  },
  {
    name: 'mapAsync keeps the message key, and what comes of it is as if it were synchronous',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    async: true,
    settings: PATIENT,
    input: events('a:3@1 b:1@2 a:1@15 b:4@16 a:2@3'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .mapAsync(slowly, { ordered: false })
          .keyByMessageKey()
          .window(TumblingWindow.of(10))
          .aggregate(
            {
              createAccumulator: () => 0,
              add: ({ amount }: Event, sum: number) => sum + amount,
              getResult: (sum) => sum,
            },
            (sum, { key, window }) => `${key} ${bounds(window)} ${sum}`,
          ),
      );
    },
    expected: { out: ['a [0,10) 5', 'b [0,10) 1', 'a [10,20) 1', 'b [10,20) 4'] },
  },
  {
    name: 'process, timers and window functions that answer later',
    async: true,
    input: events('a:3@1 b:1@2 a:2@5 b:5@12 a:1@30'),
    define(env, sink) {
      const total = valueState('total', { default: () => 0 });
      const keyed = eventsOf(env).keyBy(keyOfEvent);
      sink(
        'process',
        keyed.process<string>({
          open: (ctx) => void ctx.state(total),
          async processElement(key, event, ctx, out) {
            const before = ctx.state(total).value();
            await slowly(event);
            ctx.state(total).update(before + event.amount);
            ctx.registerEventTimeTimer(event.at + 10);
            out.collect(`${key} ${ctx.state(total).value()}`);
          },
          async onEventTime(time, key, ctx, out) {
            await Promise.resolve();
            out.collect(`${key} ${ctx.state(total).value()} at ${time}`);
          },
        }),
      );
      sink(
        'windows',
        keyed.window(TumblingWindow.of(10)).apply<string>(async (key, window, elements, out) => {
          for (const event of elements)
            out.collect(`${key} ${bounds(window)} ${(await slowly(event)).amount}`);
        }),
      );
    },
    expected: {
      // Behind 12 the watermark is 11, behind 30 it is 29.
      process: [
        'a 3',
        'b 1',
        'a 5',
        'a 5 at 11',
        'b 6',
        'b 6 at 12',
        'a 5 at 15',
        'b 6 at 22',
        'a 6',
        'a 6 at 40',
      ],
      windows: ['a [0,10) 3', 'a [0,10) 2', 'b [0,10) 1', 'b [10,20) 5', 'a [30,40) 1'],
    },
  },
]);
