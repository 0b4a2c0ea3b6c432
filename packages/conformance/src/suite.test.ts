import { describe, expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { ConformanceCase } from './case.ts';
import type { Driver } from './driver.ts';
import { batched } from './driver/batched.ts';
import { memoryAsync } from './driver/memory.ts';
import { type Result, runSuite } from './suite.ts';
import { aVariant, failing, giving } from './test-support/fakes.ts';

async function resultOf(
  driver: Driver,
  partitions: number,
  changed: Partial<ConformanceCase> = {},
): Promise<Result | undefined> {
  const { variants } = await runSuite([aVariant(partitions, changed)], { drivers: [driver], timeout: 20 });
  return variants[0]?.results[driver.name];
}

const verdict = async (...args: Parameters<typeof resultOf>) => (await resultOf(...args))?.verdict;

describe('what is equal', () => {
  test('exactly the expected values', async () => {
    expect(await resultOf(giving(['a 1', 'b 1', 'a 2']), 1)).toEqual({ verdict: 'equal', differences: [] });
  });

  test.each([
    ['another value', ['a 1', 'b 1', 'a 3']],
    ['a value too few', ['a 1', 'b 1']],
    ['a value too many', ['a 1', 'b 1', 'a 2', 'a 2']],
    ['a value twice in the place of another', ['a 1', 'a 1', 'a 2']],
    ['nothing', []],
  ])('%s is found, with one partition and with four', async (_what, out) => {
    expect([await verdict(giving(out), 1), await verdict(giving(out), 4)]).toEqual([
      'different',
      'different',
    ]);
  });

  test('types count: 1 is not the text 1, 0 is not −0, undefined is not absent', async () => {
    const pairs: [unknown, unknown][] = [
      [1, '1'],
      [0, -0],
      [{ a: undefined }, {}],
      [new Map([[1, 2]]), { 1: 2 }],
      [1n, 1],
      [null, undefined],
    ];
    for (const [expected, actual] of pairs)
      expect(await verdict(giving([actual]), 1, { expected: { out: [expected] } })).toBe('different');
  });

  test('the order of the properties of an object does not count', async () => {
    const expected = { out: [{ a: 1, b: [2] }] };
    expect(await verdict(giving([{ b: [2], a: 1 }]), 1, { expected })).toBe('equal');
  });

  test('a sink that nobody expects is a difference', async () => {
    expect(await verdict(giving(['x']), 1, { expected: {} })).toBe('different');
  });
});

describe('order', () => {
  const swapped = ['b 1', 'a 1', 'a 2'];
  const reversed = ['a 2', 'b 1', 'a 1'];

  test('counts where there is one partition, and not where there are four', async () => {
    expect(await verdict(giving(swapped), 1)).toBe('different');
    expect(await verdict(giving(swapped), 4)).toBe('equal');
    expect(await verdict(giving(reversed), 4)).toBe('equal');
  });

  test('does not count between two topics', async () => {
    const two = { topics: { events: 1, others: 1 } };
    expect(await verdict(giving(reversed), 1, two)).toBe('equal');
  });

  test('counts among the results of a key, where the case says what that is', async () => {
    const keyOf = (result: unknown) => String(result).slice(0, 1);
    expect(await verdict(giving(swapped), 4, { keyOf })).toBe('equal');
    expect(await verdict(giving(reversed), 4, { keyOf })).toBe('different');
    expect(await verdict(giving(swapped), 1, { keyOf })).toBe('different');
  });

  test('does not count where the case leaves it to the engine', async () => {
    expect(await verdict(giving(reversed), 1, { anyOrder: true })).toBe('equal');
    expect(await verdict(giving(['a 2']), 1, { anyOrder: true })).toBe('different');
  });
});

describe('late records', () => {
  const out = ['a 1', 'b 1', 'a 2'];

  test('are counted by operator; none is the same as 0', async () => {
    expect(await verdict(giving(out, { windows: 2 }), 1, { late: { windows: 2 } })).toBe('equal');
    expect(await verdict(giving(out, { windows: 0 }), 1)).toBe('equal');
    expect(await verdict(giving(out, { windows: 1 }), 1)).toBe('different');
    expect(await verdict(giving(out, { windows: 1 }), 4, { late: { windows: 2 } })).toBe('different');
    expect(await verdict(giving(out, { others: 2 }), 1, { late: { windows: 2 } })).toBe('different');
    expect(await verdict(giving(out), 1, { late: { windows: 2 } })).toBe('different');
  });
});

describe('where the expectation comes from', () => {
  test('a model, which gets the messages as they are sent', async () => {
    const expected: ConformanceCase['expected'] = (input) => ({
      sinks: { out: input.map(({ key, partition }) => `${key} in ${partition}`) },
      late: { windows: 3 },
    });
    expect(await verdict(giving(['a in 1'], { windows: 3 }), 4, { expected })).toBe('equal');
    expect(await verdict(giving(['a in 1']), 4, { expected })).toBe('different');
  });

  test('the first driver that supports the case, where all have to agree', async () => {
    const unable: Driver = { ...giving(['never']), name: 'unable', supports: () => false };
    const drivers = [
      unable,
      giving([1, 2], {}, 'first'),
      giving([1, 2], {}, 'same'),
      giving([1], {}, 'other'),
    ];
    const { variants, equal } = await runSuite([aVariant(1, { expected: 'agreement' })], { drivers });
    const verdicts = Object.entries(variants[0]?.results ?? {}).map(([name, result]) => [
      name,
      result.verdict,
    ]);
    expect(verdicts).toEqual([
      ['unable', 'unsupported'],
      ['first', 'equal'],
      ['same', 'equal'],
      ['other', 'different'],
    ]);
    expect(equal).toBe(false);
  });

  test('without anybody to compare with, an agreement is none', async () => {
    const expected = 'agreement';
    expect(await resultOf(failing(new TypeError('no engine')), 1, { expected })).toEqual({
      verdict: 'different',
      differences: [expect.stringContaining('TypeError: no engine')],
    });
  });
});

describe('runs that fail', () => {
  const error = new RsError('RS_INVALID_KEY', 'no key');

  test('are different, and say why', async () => {
    expect(await resultOf(failing(error), 1)).toEqual({
      verdict: 'different',
      differences: ['the run failed: RS_INVALID_KEY: no key'],
    });
  });

  test('are expected with their code, whatever came before', async () => {
    expect(await verdict(failing(error), 1, { fails: 'RS_INVALID_KEY' })).toBe('equal');
    expect(await resultOf(failing(error), 1, { fails: 'RS_INVALID_VALUE' })).toEqual({
      verdict: 'different',
      differences: ['expected a failure with RS_INVALID_VALUE, got RS_INVALID_KEY: no key'],
    });
    expect(await resultOf(giving(['a 1', 'b 1', 'a 2']), 1, { fails: 'RS_INVALID_VALUE' })).toEqual({
      verdict: 'different',
      differences: ['expected a failure with RS_INVALID_VALUE, got none'],
    });
  });

  test('and runs that do not end, which are stopped', async () => {
    let signal: AbortSignal | undefined;
    const hanging: Driver = {
      ...giving([]),
      run: (_variant, given) => {
        signal = given;
        return new Promise(() => undefined);
      },
    };
    expect(await resultOf(hanging, 1)).toEqual({
      verdict: 'different',
      differences: [expect.stringContaining('did not end within 20 ms')],
    });
    expect(signal?.aborted).toBe(true);
  });

  test.each([memoryAsync, batched(1)])('$name stops its run', async (driver) => {
    const closed: string[] = [];
    let stopped = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const define: ConformanceCase['define'] = (env, sink) =>
      sink(
        'out',
        env
          .fromMqTopic('events', 'group')
          .keyBy(() => 'all')
          .process<string>({
            processElement: () => new Promise(() => undefined),
            close: () => {
              closed.push('close');
              stopped();
            },
          }),
      );
    expect((await resultOf(driver, 1, { define }))?.differences).toEqual([
      expect.stringContaining('did not end within 20 ms'),
    ]);
    await over;
    expect(closed).toEqual(['close']);
  });

  test('a run that ends in time is not stopped', async () => {
    let signal: AbortSignal | undefined;
    const driver: Driver = {
      ...giving([]),
      run: async (_variant, given) => {
        signal = given;
        return { sinks: {}, late: {} };
      },
    };
    await resultOf(driver, 1);
    expect(signal?.aborted).toBe(false);
  });
});

describe('the whole', () => {
  const right = giving(['a 1', 'b 1', 'a 2'], {}, 'right');
  const unable: Driver = { ...right, name: 'unable', supports: () => false };

  test('is equal when nothing is different; what is not supported does not count', async () => {
    const { drivers, variants, equal } = await runSuite([aVariant(1), aVariant(4)], {
      drivers: [right, unable],
    });
    expect({ drivers, equal, count: variants.length }).toEqual({
      drivers: ['right', 'unable'],
      equal: true,
      count: 2,
    });
    expect(variants[0]?.results['unable']).toEqual({ verdict: 'unsupported', differences: [] });
  });

  test('runs as many variants at the same time as it may, and reports them in their order', async () => {
    const variants = [1, 2, 3, 4].map((partitions) => aVariant(partitions));
    let running = 0;
    let most = 0;
    const slowFirst: Driver = {
      ...right,
      async run(variant, signal) {
        most = Math.max(most, ++running);
        for (let turn = variant.partitions; turn < 10; turn++) await Promise.resolve();
        running--;
        return right.run(variant, signal);
      },
    };
    const report = await runSuite(variants, { drivers: [slowFirst], concurrency: 3 });
    expect(most).toBe(3);
    expect(report.variants.map(({ variant }) => variant.partitions)).toEqual([1, 2, 3, 4]);
    expect(report.equal).toBe(true);
  });

  test('tells its progress after each variant', async () => {
    const told: number[] = [];
    await runSuite([aVariant(1), aVariant(4)], { drivers: [right], onProgress: (done) => told.push(done) });
    expect(told).toEqual([1, 2]);
  });
});
