import { describe, expect, test } from '@jest/globals';
import { runSteps, type Steps, tryAll } from './steps.ts';

describe('runSteps', () => {
  test('runs at once what is not asynchronous', () => {
    function* steps(): Steps<unknown[]> {
      return [yield 1, yield undefined];
    }
    expect(runSteps(steps())).toEqual([1, undefined]);
  });

  test('waits for promises, and goes on with what they bring', async () => {
    function* steps(): Steps<unknown[]> {
      return [yield Promise.resolve('a'), yield 'b', yield Promise.resolve('c')];
    }
    const running = runSteps(steps());
    expect(running).toBeInstanceOf(Promise);
    expect(await running).toEqual(['a', 'b', 'c']);
  });

  test('throws into the procedure what a promise is rejected with', async () => {
    function* steps(): Steps<unknown> {
      try {
        yield Promise.reject(new Error('boom'));
      } catch (error) {
        return yield Promise.resolve(`caught ${String(error)}`);
      }
      return undefined;
    }
    expect(await runSteps(steps())).toBe('caught Error: boom');
  });

  test('throws, or rejects, with what the procedure throws', async () => {
    function* now(): Steps {
      yield 1;
      throw new Error('now');
    }
    function* later(): Steps {
      yield Promise.resolve();
      throw new Error('later');
    }
    expect(() => runSteps(now())).toThrow('now');
    await expect(runSteps(later())).rejects.toThrow('later');
  });
});

test('tryAll goes through all of them, and throws the first error', async () => {
  const done: number[] = [];
  function* steps(n: number): Steps {
    yield Promise.resolve();
    if (n % 2 === 0) throw new Error(`no ${n}`);
    done.push(n);
  }
  await expect(runSteps(tryAll([1, 2, 3, 4, 5], steps))).rejects.toThrow('no 2');
  expect(done).toEqual([1, 3, 5]);
});
