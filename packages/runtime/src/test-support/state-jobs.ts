import { aggregatingState, largeMapState, reducingState, type Trigger } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import type { HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(5).withTimestampAssigner(
  (event) => event.time,
);
const ignore = () => undefined;

const seenAmounts = reducingState<number[]>('seen-amounts', {
  // In place, as users do: undoing a batch must undo that too.
  reduce: (seen, more) => {
    seen.push(...more);
    return seen;
  },
});

/** A trigger with an accumulator. */
export const everyTen: Trigger<Event> = {
  states: [seenAmounts],
  onElement(event, _timestamp, _window, ctx) {
    const seen = ctx.state(seenAmounts);
    if (event.amount % 3 > 0) seen.add([event.amount]); // Else what merging has stored is not stored again.
    ctx.registerEventTimeTimer(ctx.closingTime);
    const sum = (seen.get() ?? []).reduce((a, b) => a + b, 0);
    if (sum >= 10) seen.clear();
    return sum >= 10 ? 'FIRE' : 'CONTINUE';
  },
  onEventTime: () => 'FIRE',
  onProcessingTime: () => 'CONTINUE',
  onMerge(_merged, _absorbed, ctx) {
    ctx.mergeState(seenAmounts, (a, b) => [...a, ...b]);
    ctx.registerEventTimeTimer(ctx.closingTime);
  },
};

const meanAmount = aggregatingState('mean', {
  aggregate: {
    createAccumulator: () => ({ sum: 0, count: 0 }),
    add: (amount: number, acc) => {
      acc.sum += amount;
      acc.count += 1;
      return acc;
    },
    getResult: ({ sum, count }) => sum / count,
  },
});

/** Jobs with states that values are added to, and with large maps. */
export const STATE_JOBS: Record<string, HarnessJob> = {
  'reducing and aggregating state': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const highest = keyed.getReducingState(
      reducingState<number>('highest', { reduce: (a, b) => Math.max(a, b), ttl: 8 }),
    );
    const amounts = keyed.getReducingState(seenAmounts);
    const mean = keyed.getAggregatingState(meanAmount);
    keyed
      .process<string>((key, event, _ctx, out) => {
        if (event.amount === 7) mean.clear();
        if (event.amount === 3) amounts.clear();
        const before = [highest.get() ?? null, mean.get() ?? null];
        highest.add(event.amount);
        amounts.add([event.amount]);
        if (event.amount !== 7) mean.add(event.amount);
        out.collect(JSON.stringify([key, before, highest.get(), amounts.get(), mean.get() ?? null]));
      })
      .addSink(ignore);
  },
  'large map': (env) => {
    const byAmount = largeMapState<number, { count: number }>('by-amount');
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((event) => event.key);
    keyed.getLargeMapState(byAmount);
    keyed
      .process<string>({
        async processElement(key, { amount, time }, ctx, out) {
          const map = ctx.state(byAmount);
          const [entry = { count: 0 }, hasNext, empty] = await Promise.all([
            map.get(amount),
            map.contains(amount + 1),
            map.isEmpty(),
          ]);
          entry.count++; // In place: undoing a batch must undo that too.
          const asked = map.get(amount + 2);
          map.put(amount, entry);
          map.remove(amount + 2);
          if (amount === 9) map.clear();
          if (amount % 3 === 0) map.put(amount + 2, { count: 100 });
          out.collect(JSON.stringify([key, entry.count, hasNext, empty, (await asked)?.count ?? null]));
          if (amount % 2 === 0) ctx.registerEventTimeTimer(time + 4);
        },
        async onEventTime(time, key, ctx, out) {
          const map = ctx.state(byAmount);
          const counts: string[] = [];
          for await (const [amount, { count }] of map.entries()) {
            counts.push(`${amount}:${count}`);
            if (amount === 4) map.remove(5); // It comes next.
            if (amount === 5) map.put(6, { count: count + 1 });
            if (amount === 8) map.clear();
            map.put(amount + 20, { count });
          }
          for await (const amount of map.keys()) if (amount > 20) map.remove(amount);
          out.collect(`${key}@${time} ${counts.join()}`);
        },
      })
      .addSink(ignore);
  },
  'large map by its handle, with ttl': (env) => {
    const keyed = env.input<Event>().keyBy((event) => event.key);
    const times = keyed.getLargeMapState(largeMapState<string, number>('times', { ttl: 12 }));
    keyed
      .map(async (event) => {
        const name = `amount ${event.amount}`;
        const before = times.get(name); // The handle means this key until the first await.
        times.put(name, event.time);
        times.remove(`amount ${event.amount + 5}`);
        return { ...event, before: (await before) ?? null };
      })
      .process<string>(async (key, { before }, _ctx, out) => {
        const left: number[] = [];
        for await (const time of times.values()) left.push(time);
        out.collect(JSON.stringify([key, before, left]));
      })
      .addSink(ignore);
  },
};
