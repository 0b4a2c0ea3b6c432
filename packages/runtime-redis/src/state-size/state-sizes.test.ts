import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import type { CellChange } from '@rs/runtime';
import type { HotKeySettings } from '../options/settings.ts';
import { StateSizes } from './state-sizes.ts';

const SETTINGS: HotKeySettings = {
  everyWrites: 3,
  fields: 100,
  interval: 1_000,
  policy: 'LOG_ONLY',
  throttle: 200,
};

/** A change of the state `counts`, in the hash that its key names. */
function change(hash: string): CellChange {
  return {
    op: 'delete',
    address: { operator: 'op', state: 'counts', layout: 'value', key: hash, namespace: '', onDemand: false },
  };
}

let now = 0;
let sizes: Record<string, number> = {};
const measure = jest.fn((hash: string) => Promise.resolve(sizes[hash] ?? 0));
const warn = jest.fn();

function watch(settings: Partial<HotKeySettings> = {}): StateSizes {
  return new StateSizes({
    settings: { ...SETTINGS, ...settings },
    hashOf: ({ address }) => address.key,
    measure,
    now: () => now,
    logger: { ...silentLogger, warn },
  });
}

/** Lets the look at a size come back. */
async function write(watched: StateSizes, hash: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) watched.written([change(hash)]);
  await new Promise(setImmediate);
}

beforeEach(() => {
  now = 0;
  sizes = { small: 99, large: 100 };
  measure.mockClear();
  warn.mockClear();
});

test('looks at a hash after so many writes to it, and again after as many', async () => {
  const watched = watch();
  await write(watched, 'small', 2);
  expect(measure).not.toHaveBeenCalled();
  await write(watched, 'small', 1);
  expect(measure.mock.calls).toEqual([['small']]);
  await write(watched, 'small', 3);
  expect(measure).toHaveBeenCalledTimes(2);
  expect(warn).not.toHaveBeenCalled();
});

test('warns once per interval', async () => {
  const watched = watch();
  await write(watched, 'large', 3);
  await write(watched, 'large', 3);
  expect(warn).toHaveBeenCalledTimes(1);
  now = 1_000;
  await write(watched, 'large', 3);
  expect(warn).toHaveBeenCalledTimes(2);
});

test.each([
  ['without a number of writes', { everyWrites: 0 }],
  ['without a limit', { fields: 0 }],
])('is off %s', async (_, settings) => {
  const watched = watch({ ...settings, policy: 'FAIL_FAST' });
  await write(watched, 'large', 10);
  expect(measure).not.toHaveBeenCalled();
  expect(() => watched.admit([change('large')])).not.toThrow();
});

describe('policies', () => {
  test('LOG_ONLY changes nothing', async () => {
    const watched = watch();
    await write(watched, 'large', 3);
    expect(watched.throttle()).toBe(0);
    expect(() => watched.admit([change('large')])).not.toThrow();
  });

  test('THROTTLE slows down, until the interval is over', async () => {
    const watched = watch({ policy: 'THROTTLE' });
    expect(watched.throttle()).toBe(0);
    await write(watched, 'large', 3);
    expect(watched.throttle()).toBe(200);
    now = 1_000;
    expect(watched.throttle()).toBe(0);
  });

  test('FAIL_FAST refuses changes of that hash, and no others, until the interval is over', async () => {
    const watched = watch({ policy: 'FAIL_FAST' });
    await write(watched, 'large', 3);
    expect(() => watched.admit([change('small'), change('large')])).toThrow(
      expect.objectContaining({
        code: 'RS_STATE_TOO_LARGE',
        details: { operator: 'op', state: 'counts', hash: 'large', threshold: 100 },
      }),
    );
    expect(() => watched.admit([change('small')])).not.toThrow();
    now = 1_000;
    expect(() => watched.admit([change('large')])).not.toThrow();
  });
});

test('a size that cannot be read is looked at again with the next write', async () => {
  const watched = watch();
  measure.mockRejectedValueOnce(new RangeError('gone'));
  await write(watched, 'large', 3);
  expect(warn).toHaveBeenCalledTimes(1);
  await write(watched, 'large', 1);
  expect(measure).toHaveBeenCalledTimes(2);
  expect(warn).toHaveBeenCalledTimes(2);
});
