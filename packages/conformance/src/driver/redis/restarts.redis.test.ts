import { expect, test } from '@jest/globals';
import { TumblingWindow } from '@rs/window';
import { type Event, eventsOf } from '../../input.ts';
import { randomEvents } from '../../random.ts';
import { PATIENT } from '../../settings.ts';
import { aVariant } from '../../test-support/fakes.ts';
import { useBench } from '../../test-support/use-bench.ts';
import { redisWithFaults, type Took } from './restarts.ts';

const bench = useBench();

test('three processes work on a long input: one dies, and the others share what is left', async () => {
  const variant = aVariant(4, {
    settings: PATIENT,
    input: randomEvents({ seed: 1, count: 1_000, keys: 20, disorder: 10 }),
    define: (env, sink) =>
      sink(
        'sums',
        eventsOf(env)
          .keyByMessageKey()
          .window(TumblingWindow.of(100))
          .sum(({ amount }: Event) => amount, { uid: 'windows' }),
      ),
  });
  const took: Took[] = [];
  const driver = redisWithFaults(bench, (one) => took.push(one));
  const { sinks } = await driver.run(variant, new AbortController().signal);
  expect(took).toEqual([{ processes: 3, killed: true, shared: true }]);
  const sent = variant.messages.reduce((sum, { value }) => sum + (value as Event).amount, 0);
  expect((sinks['sums'] as number[]).reduce((sum, each) => sum + each, 0)).toBe(sent);
});
