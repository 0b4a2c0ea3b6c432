import { listState, mapState, outputTag, setState, type Trigger, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { CountTrigger, PurgingTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import type { HarnessJob } from '../testing/job-harness.ts';
import { everyTen, STATE_JOBS } from './state-jobs.ts';
import { TWO_INPUT_JOBS } from './two-input-jobs.ts';

/** What the jobs of the catalogue read. */
export interface Event {
  readonly key: string;
  readonly time: number;
  readonly amount: number;
}

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(5).withTimestampAssigner(
  (event) => event.time,
);
const late = outputTag<Event>('late');
const big = outputTag<string>('big');
const ignore = () => undefined;

const average = {
  createAccumulator: () => ({ sum: 0, count: 0 }),
  // Changes the accumulator in place, as users do: undoing a batch must undo that too.
  add: (event: Event, acc: { sum: number; count: number }) => {
    acc.sum += event.amount;
    acc.count += 1;
    return acc;
  },
  getResult: (acc: { sum: number; count: number }) => acc.sum / acc.count,
  merge: (a: { sum: number; count: number }, b: { sum: number; count: number }) => ({
    sum: a.sum + b.sum,
    count: a.count + b.count,
  }),
};

const seenState = valueState('seen', { default: () => 0 });

const everySecond: Trigger<unknown> = {
  states: [seenState],
  onElement(_element, _timestamp, _window, ctx) {
    const seen = ctx.state(seenState);
    seen.update(seen.value() + 1);
    ctx.registerEventTimeTimer(ctx.closingTime);
    ctx.registerProcessingTimeTimer(ctx.closingTime + 3);
    return seen.value() % 2 === 0 ? 'FIRE' : 'CONTINUE';
  },
  onEventTime: () => 'FIRE_AND_PURGE',
  onProcessingTime: () => 'PURGE',
  onMerge(_merged, _absorbed, ctx) {
    ctx.mergeState(seenState, (a, b) => a + b);
  },
};

/** Answers after some turns, about some events later than about others. */
async function ask(event: Event): Promise<Event> {
  for (let turns = 0; turns < event.amount % 5; turns++) await Promise.resolve();
  return event;
}

/** Jobs that together use every operator, window kind, trigger, timer kind and state kind. */
export const JOBS: Record<string, HarnessJob> = {
  stateless: (env) => {
    const input = env.input<Event>();
    input.map((event) => event.amount).addSink(ignore);
    input
      .filter((event) => event.amount % 2 === 0)
      .flatMap((event) => [event.key, String(event.amount)])
      .addSink(ignore);
  },
  async: (env) => {
    env
      .input<Event>()
      .map(async (event) => (event.amount % 3 === 0 ? await Promise.resolve(event) : event))
      .filter(async (event) => event.amount !== 1)
      .keyBy((event) => event.key)
      .sum((event) => event.amount)
      .addSink(ignore);
  },
  'mapAsync in order': (env) => {
    const asked = env.input<Event>().mapAsync(ask, { concurrency: 3 });
    asked.map((event) => event.amount).addSink(ignore);
    asked
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .process<string>({
        processElement: (key, event, ctx, out) => {
          ctx.registerEventTimeTimer(event.time + 3);
          out.collect(`${key}:${event.amount} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`${key}@${time} w${ctx.currentWatermark()}`),
      })
      .addSink(ignore);
  },
  'mapAsync out of order': (env) => {
    // Between two watermarks the order is open, so only what does not depend on it can be compared.
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .mapAsync(ask, { concurrency: 5, ordered: false })
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(10))
      .sum((event) => event.amount)
      .addSink(ignore);
  },
  'mapAsync behind and before keyed state': (env) => {
    const counted = valueState('counted', { default: () => 0 });
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .process<Event>({
        open: (ctx) => void ctx.state(counted),
        processElement: (_key, event, ctx, out) => {
          const count = ctx.state(counted);
          count.update(count.value() + 1);
          if (event.amount % 3 === 0) ctx.registerEventTimeTimer(event.time + 5);
          for (let i = 0; i < count.value() % 4; i++) out.collect({ ...event, amount: event.amount + i });
        },
        onEventTime: (time, key, _ctx, out) => out.collect({ key, time, amount: 1 }),
      })
      .mapAsync(ask, { concurrency: 2 })
      .mapAsync((event) => (event.amount % 2 === 0 ? event : ask(event)))
      .keyBy((event) => event.amount % 3)
      .reduce((a, b) => ({ ...b, amount: a.amount + b.amount }))
      .addSink(ignore);
  },
  rolling: (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    keyed.sum((event) => event.amount).addSink(ignore);
    keyed.min((event) => event.amount).addSink(ignore);
    keyed.max((event) => event.amount).addSink(ignore);
    keyed.reduce((a, b) => ({ ...b, amount: a.amount + b.amount })).addSink(ignore);
  },
  'object keys': (env) => {
    env
      .input<Event>()
      .keyBy((event) => ({ key: event.key, even: event.amount % 2 === 0, list: [event.amount % 3] }))
      .sum((event) => event.amount)
      .addSink(ignore);
  },
  'keyed map with state': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const count = keyed.getState(valueState('count', { default: () => 0 }));
    keyed
      .map((event) => {
        count.update(count.value() + 1);
        return { ...event, amount: count.value() };
      })
      .process<string>((key, event, _ctx, out) => {
        count.update(count.value() + 10);
        out.collect(`${key}:${event.amount}:${count.value()}`);
      })
      .addSink(ignore);
  },
  'all states': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const last = keyed.getState(valueState<Event>('last'));
    const byAmount = keyed.getMapState(mapState<number, number>('by-amount'));
    const list = keyed.getListState(listState<number>('list'));
    const set = keyed.getSetState(setState<number>('set'));
    keyed
      .process<string>((key, event, _ctx, out) => {
        byAmount.put(event.amount, (byAmount.get(event.amount) ?? 0) + 1);
        if (event.amount % 4 === 0) byAmount.remove(event.amount - 1);
        list.add(event.amount);
        if (list.get().length > 4) list.update(list.get().slice(2));
        if (!set.add(event.amount)) set.remove(event.amount);
        if (event.amount === 7) last.clear();
        out.collect(
          JSON.stringify([key, last.value()?.amount ?? null, [...byAmount.entries()], list.get(), set.get()]),
        );
        last.update(event);
      })
      .addSink(ignore);
  },
  ...STATE_JOBS,
  'state changed in place before update': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const amounts = keyed.getState(valueState<number[]>('amounts', { default: () => [] }));
    const last = keyed.getMapState(mapState<string, { amount: number }>('last'));
    keyed
      .process<string>((key, event, _ctx, out) => {
        const list = amounts.value();
        list.push(event.amount);
        const entry = last.get('entry') ?? { amount: 0 };
        entry.amount += event.amount;
        out.collect(`${key}:${list.join()}:${entry.amount}`);
        amounts.update(list);
        last.put('entry', entry);
      })
      .addSink(ignore);
  },
  'state with ttl': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const count = keyed.getState(valueState('count', { default: () => 0, ttl: 8 }));
    keyed
      .process<string>({
        processElement: (key, _event, ctx, out) => {
          count.update(count.value() + 1);
          out.collect(`${key}:${count.value()}@${ctx.currentProcessingTime()}`);
        },
      })
      .addSink(ignore);
  },
  'timers and side outputs': (env) => {
    const processed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .process<string>({
        processElement: (key, event, ctx, out) => {
          ctx.registerEventTimeTimer(event.time + 7);
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 3);
          if (event.amount % 5 === 0) ctx.deleteEventTimeTimer(event.time + 6);
          if (event.amount > 8) ctx.output(big, `${key}:${event.amount}`);
          out.collect(`${key}@${event.time} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => {
          if (time % 3 === 0 && Number.isFinite(ctx.currentWatermark())) ctx.registerEventTimeTimer(time + 2);
          out.collect(`et ${key}@${time}`);
        },
        onProcessingTime: async (time, key, ctx, out) => {
          await Promise.resolve();
          out.collect(`pt ${key}@${time} ${ctx.currentProcessingTime()}`);
        },
      });
    processed.addSink(ignore);
    processed.getSideOutput(big).addSink(ignore);
  },
  tumbling: (env) => {
    const counted = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(10))
      .sideOutputLateData(late)
      .aggregate(average, (mean, { key, window }) => [key, window.start, mean] as const);
    counted.addSink(ignore);
    counted.getSideOutput(late).addSink(ignore);
  },
  'tumbling, lateness': (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key);
    keyed
      .window(TumblingWindow.of(10))
      .allowedLateness(6)
      .sum((event) => event.amount)
      .addSink(ignore);
    keyed
      .window(TumblingWindow.of(10))
      .allowedLateness(6, { mode: 'postpone' })
      .reduce((a, b) => ({ ...a, amount: a.amount + b.amount }))
      .addSink(ignore);
  },
  'sliding, all elements': (env) => {
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .window(SlidingWindow.of(12, 5))
      .process<string>(async (key, window, elements, ctx, out) => {
        if (elements.length % 2 === 0) await Promise.resolve();
        out.collect(
          `${key} ${window.start} ${elements.map((event) => event.amount).join()} ${ctx.currentWatermark()}`,
        );
      })
      .addSink(ignore);
  },
  sessions: (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key);
    keyed
      .window(SessionWindow.withGap(6))
      .sideOutputLateData(late)
      .aggregate(average, (mean, { key, window }) => [key, window.start, window.end, mean] as const)
      .addSink(ignore);
    keyed
      .window(SessionWindow.withGap(4, { touching: 'merge' }))
      .allowedLateness(5)
      .apply<string>((key, window, elements, out) => {
        out.collect(`${key} ${window.start}-${window.end} ${elements.map((event) => event.amount).join()}`);
      })
      .addSink(ignore);
  },
  triggers: (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key);
    keyed.window(TumblingWindow.of(20)).trigger(CountTrigger.of(3)).count().addSink(ignore);
    keyed
      .window(TumblingWindow.of(20))
      .trigger(PurgingTrigger.of(CountTrigger.of(2)))
      .count()
      .addSink(ignore);
    keyed.window(SessionWindow.withGap(7)).trigger(CountTrigger.of(2)).count().addSink(ignore);
    keyed.window(SessionWindow.withGap(7)).trigger(everySecond).count().addSink(ignore);
    keyed.window(SessionWindow.withGap(7)).trigger(everyTen).count().addSink(ignore);
    keyed
      .window(SlidingWindow.of(20, 10))
      .trigger(everySecond)
      .sum((event) => event.amount)
      .addSink(ignore);
  },
  'processing-time windows': (env) => {
    env
      .input<Event>()
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(5, { time: 'processing' }))
      .count()
      .addSink(ignore);
  },
  'two stages': (env) => {
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(10))
      .sum((event) => event.amount)
      .keyBy((sum) => sum % 3)
      .window(TumblingWindow.of(30))
      .apply<string>((key, window, elements, out) => out.collect(`${key} ${window.start} ${elements.join()}`))
      .addSink(ignore);
  },
  'union of branches': (env) => {
    const input = env.input<Event>().assignTimestampsAndWatermarks(strategy);
    const plain = input.map((event) => `plain ${event.amount}`);
    const summed = input
      .keyBy((event) => event.key)
      .sum((event) => event.amount)
      .map((sum) => `sum ${sum}`);
    const windowed = input
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(10))
      .count()
      .map((count) => `window ${count}`);
    windowed
      .union(plain, summed)
      .keyBy((text) => text.length)
      .process<string>((key, text, ctx, out) => out.collect(`${key} ${text} ${ctx.currentWatermark()}`))
      .addSink(ignore);
  },
  'two inputs': (env) => {
    const left = env.input<Event>('left').assignTimestampsAndWatermarks(strategy);
    const right = env.input<Event>('right').assignTimestampsAndWatermarks(strategy);
    left
      .union(right)
      .keyBy((event) => event.key)
      .window(TumblingWindow.of(10))
      .count()
      .addSink(ignore);
  },
  ...TWO_INPUT_JOBS,
};
