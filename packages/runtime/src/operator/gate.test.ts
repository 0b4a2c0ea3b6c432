import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../test-support/error-of.ts';
import { newTask } from '../test-support/new-task.ts';
import { Recorder } from '../test-support/recorder.ts';
import { turn } from '../test-support/turn.ts';
import { Gate } from './gate.ts';
import { isPromise } from '../promise.ts';

function asyncGate() {
  const task = newTask({ mode: 'async' });
  return { task, gate: new Gate(task, "map 'clean'"), out: new Recorder() };
}

/** A promise that is settled from outside. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
}

describe('Gate', () => {
  test('goes on with a promise’s value; meanwhile it is busy, and the driver has to look', async () => {
    const { task, gate, out } = asyncGate();
    gate.emitSettled(Promise.resolve('v'), out, 5, 'k');
    expect([gate.busy, task.pending, task.attention]).toEqual([true, true, true]);
    await task.settled();
    expect([gate.busy, task.pending, task.attention]).toEqual([false, false, false]);
    expect([out.records, out.keys]).toEqual([[['v', 5]], ['k']]);
  });

  test('lets what it held go on in order, after the value', async () => {
    const { task, gate, out } = asyncGate();
    const { promise, resolve } = deferred<string>();
    gate.emitSettled(promise, out, 1, undefined);
    gate.holdRecord(out, 'b', 2, 'k');
    gate.holdWatermark(out, 3);
    gate.holdStatus(out, true);
    gate.hold(() => out.record('c', 4, undefined));
    gate.holdEnd(out);
    await turn();
    expect(out.trace).toEqual([]);
    resolve('a');
    await task.settled();
    expect(out.trace).toEqual(['a@1', 'b@2', 'w3', 'idle', 'c@4', 'end']);
  });

  test('an item that makes it wait again keeps those behind it back', async () => {
    const { task, gate, out } = asyncGate();
    const first = deferred<string>();
    const second = deferred<string>();
    gate.emitSettled(first.promise, out, 1, undefined);
    gate.hold(() => gate.emitSettled(second.promise, out, 2, undefined));
    gate.holdWatermark(out, 3);
    first.resolve('a');
    await turn();
    expect([out.trace, gate.busy]).toEqual([['a@1'], true]);
    second.resolve('b');
    await task.settled();
    expect(out.trace).toEqual(['a@1', 'b@2', 'w3']);
  });

  test('a long queue is let go in order, also when it waits again in between', async () => {
    const { task, gate } = asyncGate();
    const seen: number[] = [];
    gate.suspend(Promise.resolve(), () => undefined);
    for (let i = 0; i < 50_000; i++) {
      gate.hold(() => {
        seen.push(i);
        if (i % 20_000 === 0) gate.suspend(Promise.resolve(), () => undefined);
      });
    }
    await task.settled();
    expect(seen).toEqual(Array.from({ length: 50_000 }, (_, i) => i));
  });

  test('a rejection fails the task, named and with its cause; nothing that waits goes on', async () => {
    const { task, gate, out } = asyncGate();
    const cause = new Error('boom');
    gate.emitSettled(Promise.reject(cause), out, 1, undefined);
    gate.holdRecord(out, 'b', 2, undefined);
    await task.settled();
    await turn();
    const error = errorOf(() => task.throwFailure());
    expect([error.code, error.message, error.cause]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      "map 'clean' failed: boom",
      cause,
    ]);
    expect([out.trace, task.pending]).toEqual([[], false]);
  });

  test('an error behind it fails the task too', async () => {
    const { task, gate } = asyncGate();
    gate.suspend(Promise.resolve(), () => {
      throw new Error('downstream');
    });
    await task.settled();
    expect(() => task.throwFailure()).toThrow('downstream');
  });

  test('once the task was stopped a value has no effect', async () => {
    const { task, gate, out } = asyncGate();
    const { promise, resolve } = deferred<string>();
    gate.emitSettled(promise, out, 1, undefined);
    gate.holdRecord(out, 'b', 2, undefined);
    task.stop();
    resolve('a');
    await turn();
    expect([out.trace, task.pending, task.failed]).toEqual([[], false, false]);
  });

  test('a rejection after the stop is a consequence of it, and no failure', async () => {
    const { task, gate, out } = asyncGate();
    const { promise, reject } = deferred<string>();
    gate.emitSettled(promise, out, 1, undefined);
    task.stop();
    reject(new Error('aborted'));
    await turn();
    expect([task.failed, task.pending]).toEqual([false, false]);
  });

  test.each(['fulfilled', 'rejected'])(
    'after a rewind an earlier promise that is %s has no effect',
    async (outcome) => {
      const { task, gate, out } = asyncGate();
      const earlier = deferred<string>();
      gate.emitSettled(earlier.promise, out, 1, undefined);
      gate.holdRecord(out, 'held', 2, undefined);
      task.rewind();
      expect([gate.busy, task.pending, task.attention]).toEqual([false, false, false]);
      gate.emitSettled(Promise.resolve('again'), out, 1, undefined);
      if (outcome === 'fulfilled') earlier.resolve('stale');
      else earlier.reject(new Error('stale'));
      await task.settled();
      await turn();
      expect([out.trace, task.failed, task.pending, gate.busy]).toEqual([['again@1'], false, false, false]);
    },
  );

  test('continue skips what follows a promise once the task was stopped or rewound', async () => {
    const { task, gate } = asyncGate();
    const calls: string[] = [];
    await gate.continue(Promise.resolve('a'), (value) => void calls.push(value));
    const stopped = gate.continue(Promise.resolve('b'), (value) => void calls.push(value));
    task.stop();
    await stopped;
    task.rewind();
    const rewound = gate.continue(Promise.resolve('c'), (value) => void calls.push(value));
    task.rewind();
    await rewound;
    expect(calls).toEqual(['a']);
  });

  test('in a run that cannot wait a promise is refused, and its rejection does not surface', async () => {
    const task = newTask({ mode: 'sync' });
    const gate = new Gate(task, 'map');
    const error = errorOf(() => gate.suspend(Promise.reject(new Error('late')), () => undefined));
    expect([error.code, error.details]).toEqual(['RS_ASYNC_IN_EAGER_RUN', { operator: 'map' }]);
    expect([gate.busy, task.failed]).toEqual([false, true]);
    await turn();
  });
});

describe('isPromise', () => {
  test.each<[unknown, boolean]>([
    [Promise.resolve(), true],
    [{ then: () => undefined }, true],
    [{ then: 1 }, false],
    [null, false],
    [undefined, false],
    ['then', false],
    [() => undefined, false],
  ])('%p: %p', (value, expected) => {
    expect(isPromise(value)).toBe(expected);
  });
});
