import { mapState, outputTag, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { CountWindow, SessionWindow, SlidingWindow, TimeEvictor, TumblingWindow } from '@rs/window';
import type { HarnessEnvironment, HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(5).withTimestampAssigner(
  ({ time }) => time,
);
const late = outputTag<Event>('late');
const changed = outputTag<string>('changed');
const ignore = () => undefined;

function inputs(env: HarnessEnvironment) {
  const left = env.input<Event>('left').assignTimestampsAndWatermarks(strategy);
  const right = env.input<Event>('right').assignTimestampsAndWatermarks(strategy);
  return { left, right, lefts: left.keyBy(({ key }) => key), rights: right.keyBy(({ key }) => key) };
}

const amounts = (events: readonly Event[]) => events.map(({ amount }) => amount).join();

const limits = mapState<string, { amount: number }>('limits');
const recent = mapState<number, string>('recent', { ttl: 12 });

/** Jobs of operators with two inputs. */
export const TWO_INPUT_JOBS: Record<string, HarnessJob> = {
  'connect with keys: state, timers, promises': (env) => {
    const { lefts, rights } = inputs(env);
    const both = lefts.connect(rights);
    const total = both.getState(valueState('total', { default: () => 0 }));
    const last = valueState<Event>('last');
    both
      .process<string>({
        open: (ctx) => void ctx.state(last),
        processElement1: (key, event, ctx, out) => {
          total.update(total.value() + event.amount);
          ctx.registerEventTimeTimer(event.time + 4);
          out.collect(
            `left ${key} ${total.value()} ${ctx.state(last).value()?.amount} w${ctx.currentWatermark()}`,
          );
        },
        processElement2: async (key, event, ctx, out) => {
          ctx.state(last).update(event);
          if (event.amount % 2 === 0) await Promise.resolve();
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 6);
          out.collect(`right ${key} ${ctx.state(last).value()?.amount} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => {
          out.collect(`et ${key}@${time} ${total.value()}`);
          if (total.value() > 30) {
            total.clear();
            ctx.state(last).clear();
          }
        },
        onProcessingTime: (time, key, ctx, out) => {
          out.collect(`pt ${key}@${time} ${ctx.state(last).value()?.amount}`);
        },
      })
      .addSink(ignore);
    both
      .process<number>({
        processElement1: (_key, _event, _ctx, out) => out.collect(total.value()),
        processElement2: () => total.update(total.value() + 1),
      })
      .addSink(ignore);
  },
  'connect without keys': (env) => {
    const { left, right } = inputs(env);
    const pair = left.connect(right);
    const processed = pair.process<string>({
      processElement1: async ({ amount }, ctx, out) => {
        if (amount % 3 === 0) await Promise.resolve();
        out.collect(`left ${amount} w${ctx.currentWatermark()} p${ctx.currentProcessingTime()}`);
      },
      processElement2: ({ amount }, ctx, out) => {
        if (amount > 5) ctx.output(changed, `right ${amount}`);
        out.collect(`right ${amount} w${ctx.currentWatermark()}`);
      },
    });
    processed.addSink(ignore);
    processed.getSideOutput(changed).addSink(ignore);
    pair
      .flatMap(
        ({ key, amount }) => [key, amount],
        async ({ amount }) => (amount > 3 ? [amount, -amount] : null),
      )
      .addSink(ignore);
    pair
      .map(
        ({ key }) => `left ${key}`,
        ({ key }) => `right ${key}`,
      )
      .keyBy((text) => text.length)
      .process<string>((key, text, ctx, out) => out.collect(`${key} ${text} w${ctx.currentWatermark()}`))
      .addSink(ignore);
  },
  'one stream connected with results of itself': (env) => {
    const input = env.input<Event>().assignTimestampsAndWatermarks(strategy);
    const keyed = input.keyBy(({ key }) => key);
    keyed
      .window(TumblingWindow.of(10))
      .sum(({ amount }) => amount)
      .keyBy((sum) => sum % 3)
      .connect(input.keyBy(({ amount }) => amount % 3))
      .process<string>({
        open: (ctx) => void ctx.state(limits),
        processElement1: (key, sum, ctx) => ctx.state(limits).put(String(key), { amount: sum }),
        processElement2: (key, { amount }, ctx, out) =>
          out.collect(`${key} ${amount} ${ctx.state(limits).get(String(key))?.amount}`),
      })
      .addSink(ignore);
  },
  'broadcast to a keyed stream': (env) => {
    const { lefts, right } = inputs(env);
    const both = lefts.connect(right.broadcast(limits, recent));
    const count = both.getState(valueState('count', { default: () => 0 }));
    const processed = both.process<string>({
      processElement: (key, event, ctx, out) => {
        count.update(count.value() + 1);
        ctx.registerEventTimeTimer(event.time + 6);
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 9);
        out.collect(`${key} ${count.value()} ${ctx.broadcastState(limits).get(key)?.amount}`);
      },
      processBroadcastElement: ({ key, amount }, ctx, out) => {
        const state = ctx.broadcastState(limits);
        // In place, as users do: undoing a batch must undo that too.
        const limit = state.get(key) ?? { amount: 0 };
        limit.amount += amount;
        if (amount === 4) state.remove(key);
        else state.put(key, limit);
        if (amount === 9) state.clear();
        ctx.broadcastState(recent).put(amount, key);
        ctx.output(changed, key);
        out.collect(`limits ${Array.from(state.entries(), ([id, one]) => `${id}=${one.amount}`).join()}`);
      },
      onEventTime: (time, key, ctx, out) =>
        out.collect(
          `et ${key}@${time} ${count.value()} ${[...ctx.broadcastState(recent).entries()].join(' ')}`,
        ),
      onProcessingTime: async (time, key, ctx, out) => {
        await Promise.resolve();
        out.collect(`pt ${key}@${time} ${ctx.broadcastState(limits).isEmpty()}`);
      },
    });
    processed.addSink(ignore);
    processed.getSideOutput(changed).addSink(ignore);
  },
  'broadcast to a stream without keys': (env) => {
    const { left, right } = inputs(env);
    left
      .connect(right.broadcast(limits))
      .process<string>({
        processElement: async ({ key, amount }, ctx, out) => {
          if (amount % 2 === 0) await Promise.resolve();
          out.collect(
            `${key} ${amount} ${ctx.broadcastState(limits).get(key)?.amount} w${ctx.currentWatermark()}`,
          );
        },
        processBroadcastElement: async ({ key, amount }, ctx) => {
          if (amount % 3 === 0) await Promise.resolve();
          ctx.broadcastState(limits).put(key, { amount });
        },
      })
      .addSink(ignore);
  },
  cogroup: (env) => {
    const { lefts, rights } = inputs(env);
    const both = lefts.cogroup(rights);
    const counted = both
      .window(TumblingWindow.of(10))
      .allowedLateness(4)
      .sideOutputLateData(late)
      .apply<string>((key, { start }, left, right, out) =>
        out.collect(`${key} ${start} ${amounts(left)}|${amounts(right)}`),
      );
    counted.addSink(ignore);
    counted.getSideOutput(late).addSink(ignore);
    both
      .window(SlidingWindow.of(12, 5))
      .evictor(TimeEvictor.of(4))
      .process<string>(async (key, { start }, left, right, ctx, out) => {
        if (left.length > right.length) await Promise.resolve();
        out.collect(`${key} ${start} ${amounts(left)}|${amounts(right)} w${ctx.currentWatermark()}`);
      })
      .addSink(ignore);
    both
      .window(SessionWindow.withGap(6))
      .apply<string>((key, { start, end }, left, right, out) =>
        out.collect(`${key} ${start}-${end} ${amounts(left)}|${amounts(right)}`),
      )
      .addSink(ignore);
    both
      .window(CountWindow.of(3))
      .apply<string>((key, _window, left, right, out) =>
        out.collect(`${key} ${amounts(left)}|${amounts(right)}`),
      )
      .addSink(ignore);
  },
};
