import { expect, test } from '@jest/globals';
import { listState, valueState } from '@rs/core';
import { ExpirySweep, type ExpirySweepOptions } from './expiry-sweep.ts';

const SECOND = 1_000;

/** States that need so many steps, each of which takes two milliseconds. */
function world(
  states: Readonly<Record<string, { ttl?: number; steps: number; expired?: number }>>,
  stateTtl?: number,
) {
  let now = 0;
  const done: string[] = [];
  const sweepOf: ExpirySweepOptions['sweepOf'] = ({ name }) => {
    const { steps = 1, expired = 0 } = states[name] ?? {};
    let left = steps;
    return {
      step: (at) => {
        done.push(`${name} ${at}`);
        now += 2;
        if (name === 'failing') return Promise.reject(new RangeError('no'));
        const through = --left === 0;
        if (through) left = steps;
        return Promise.resolve({ through, seen: 100, expired });
      },
    };
  };
  const sweep = new ExpirySweep({
    states: Object.entries(states).map(([name, { ttl }]) => ({
      operator: 'op',
      descriptor: name === 'list' ? listState(name) : valueState(name, ttl === undefined ? {} : { ttl }),
      now: () => 5e6 + now,
    })),
    stateTtl,
    sweepOf,
    timers: { monotonic: () => now },
  });
  return { sweep, done, wait: (ms: number) => void (now += ms) };
}

test('has nothing to do where no state expires', async () => {
  const { sweep, done } = world({ forever: { steps: 1 } });
  expect(sweep.dueIn).toBe(Infinity);
  await sweep.run();
  expect(done).toEqual([]);
});

test('stateTtl makes those expire that say nothing', () => {
  const { sweep } = world({ list: { steps: 1 } }, 500);
  expect(sweep.dueIn).toBe(SECOND);
});

test('works a few milliseconds at a time, and rests a part of the time to live once it is through', async () => {
  const { sweep, done, wait } = world({ short: { ttl: 100_000, steps: 4 } });
  await sweep.run();
  expect(done).toEqual([]);
  wait(SECOND);
  await sweep.run();
  expect(done).toEqual(['short 5001000', 'short 5001002', 'short 5001004']);
  expect(sweep.dueIn).toBe(SECOND - 6);
  wait(sweep.dueIn);
  await sweep.run();
  expect(done).toHaveLength(4);
  expect(sweep.dueIn).toBe(10_000);
});

test('a state with much to look through does not keep the others from their turn', async () => {
  const { sweep, done, wait } = world({ large: { ttl: 1, steps: 1_000 }, small: { ttl: 1, steps: 1 } });
  for (let n = 0; n < 10; n++) {
    wait(Math.max(0, sweep.dueIn));
    await sweep.run();
  }
  expect(done.filter((what) => what.startsWith('small')).length).toBeGreaterThanOrEqual(4);
  expect(done.filter((what) => what.startsWith('large')).length).toBeGreaterThanOrEqual(12);
});

test('where much has expired it hardly rests before it is through', async () => {
  const { sweep, done, wait } = world({
    many: { ttl: 100_000, steps: 6, expired: 11 },
    few: { ttl: 1, steps: 6, expired: 10 },
  });
  wait(SECOND);
  await sweep.run();
  await sweep.run();
  expect(done).toHaveLength(6);
  // Three times the six milliseconds that it took, of which six have passed.
  expect(sweep.dueIn).toBe(12);
  wait(12);
  await sweep.run();
  expect(done.filter((what) => what.startsWith('many'))).toHaveLength(6);
  expect(sweep.dueIn).toBe(SECOND - 6 - 12 - 6);
});

test('after a failure it goes on after a pause', async () => {
  const { sweep, wait } = world({ failing: { ttl: 1, steps: 1 } });
  wait(SECOND);
  await expect(sweep.run()).rejects.toThrow('no');
  expect(sweep.dueIn).toBe(SECOND - 2);
});
