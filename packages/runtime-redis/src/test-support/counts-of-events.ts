import { type DataStream, type StreamEnvironment, valueState } from '@rs/core';

export const COUNT = valueState('count', { default: () => 0 });

export interface Counted {
  readonly key: string;
  readonly count: number;
}

/** Counts the messages of the topic 'events' per key, and tells each new count. */
export function countsOfEvents(env: StreamEnvironment): DataStream<Counted> {
  return env
    .fromMqTopicWithId('events', 'events', 'g')
    .keyByMessageKey({ uid: 'by-key' })
    .process<Counted>(
      {
        open: (ctx) => void ctx.state(COUNT),
        processElement(key, _value, ctx, out) {
          const count = ctx.state(COUNT);
          count.update(count.value() + 1);
          out.collect({ key, count: count.value() });
        },
      },
      { uid: 'count' },
    );
}
