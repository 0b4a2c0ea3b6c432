import { describe, expect, test } from '@jest/globals';
import {
  CountEvictor,
  CountTrigger,
  CountWindow,
  GlobalWindow,
  TimeEvictor,
  TumblingWindow,
} from '@rs/window';
import { type Codec, jsonCodec } from '@rs/core';
import { graphOf, type HarnessItem, type HarnessJob, runBatched, runChained } from '../../testing/index.ts';

const items = (...times: readonly number[]): HarnessItem[] => [
  ...times.map((time) => ({ type: 'record', input: 0, value: time, timestamp: time }) as const),
  { type: 'end', input: 0 },
];

/** Results with their timestamps; the same in one chain and over a backend, cut into batches with crashes between. */
async function results(job: HarnessJob, input: readonly HarnessItem[]): Promise<string[]> {
  const { outputs } = await runChained(graphOf(job), input);
  const chained = outputs.map(({ value, timestamp }) => `${JSON.stringify(value)}@${timestamp}`);
  for (const batchSize of [1, 3, 100]) {
    const batched = await runBatched(() => graphOf(job), input, { batchSize, cachedBytes: 0, crashEvery: 1 });
    expect(batched.outputs.map(({ value, timestamp }) => `${JSON.stringify(value)}@${timestamp}`)).toEqual(
      chained,
    );
    expect(batched.tasks.flatMap(({ backend }) => backend.cells())).toEqual([]);
    expect(batched.tasks.flatMap(({ backend }) => backend.storedTimers())).toEqual([]);
  }
  return chained;
}

const ignore = () => undefined;

describe('windows without an end', () => {
  test('a global window is emitted at the end of the input, with the time of its newest element', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy(() => 'k')
        .window(GlobalWindow.create())
        .sum()
        .addSink(ignore);
    };
    expect(await results(job, items(3, 9, 5))).toEqual(['17@9']);
  });

  test('a global window fires when its trigger says so, with the time of the newest element so far', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy(() => 'k')
        .window(GlobalWindow.create())
        .trigger(CountTrigger.of(2))
        .sum()
        .addSink(ignore);
    };
    expect(await results(job, items(3, 1, 4, 2, 9))).toEqual(['4@3', '10@4', '19@9']);
  });

  test('tumbling count windows emit each element once', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy((time) => time % 2)
        .window(CountWindow.of(2))
        .apply<number[]>((_key, _window, elements, out) => out.collect([...elements]))
        .addSink(ignore);
    };
    expect(await results(job, items(1, 2, 3, 4, 5))).toEqual(['[1,3]@3', '[2,4]@4', '[5]@5']);
  });

  test('sliding count windows emit the last elements', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy(() => 'k')
        .window(CountWindow.of(3, 2))
        .apply<number[]>((_key, _window, elements, out) => out.collect([...elements]))
        .addSink(ignore);
    };
    expect(await results(job, items(1, 2, 3, 4, 5))).toEqual(['[1,2]@2', '[2,3,4]@4', '[3,4,5]@5']);
  });
});

describe('evictors', () => {
  const tumbling =
    (codec?: Codec<number>): HarnessJob =>
    (env) => {
      const keyed = env.input<number>().keyBy(() => 'k');
      const windowed = keyed.window(TumblingWindow.of(100));
      windowed
        .evictor(CountEvictor.of(2))
        .apply<number[]>(
          async (_key, _window, elements, out) => {
            await Promise.resolve();
            out.collect([...elements]);
          },
          codec === undefined ? {} : { codec },
        )
        .addSink(ignore);
    };

  test('remove elements before the function sees them', async () => {
    expect(await results(tumbling(), items(1, 2, 3))).toEqual(['[2,3]@99']);
  });

  test('work with a codec that only knows values', async () => {
    const codec: Codec<number> = {
      name: 'bytes',
      encode: (value) => Uint8Array.of(value),
      decode: (data) => Number(data[0]),
    };
    expect(await results(tumbling(codec), items(1, 2, 3))).toEqual(['[2,3]@99']);
    expect(jsonCodec<number>().name).not.toBe(codec.name);
  });

  test('an aggregate is computed from the elements that are left', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy(() => 'k')
        .window(TumblingWindow.of(100))
        .evictor(TimeEvictor.of(10))
        .reduce(
          (a, b) => a + b,
          (sum, { key, window }) => `${key} ${window.end} ${sum}`,
        )
        .addSink(ignore);
    };
    expect(await results(job, items(1, 50, 55))).toEqual(['"k 100 105"@99']);
  });

  test('after the function, what is evicted is gone for the next firing', async () => {
    const job: HarnessJob = (env) => {
      env
        .input<number>()
        .keyBy(() => 'k')
        .window(TumblingWindow.of(100))
        .trigger(CountTrigger.of(2))
        .evictor(CountEvictor.of(1, { after: true }))
        .apply<number[]>((_key, _window, elements, out) => out.collect([...elements]))
        .addSink(ignore);
    };
    expect(await results(job, items(1, 2, 3, 4, 5))).toEqual(['[1,2]@99', '[2,3,4]@99', '[4,5]@99']);
  });
});
