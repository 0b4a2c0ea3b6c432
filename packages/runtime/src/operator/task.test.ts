import { describe, expect, test } from '@jest/globals';
import { ManualScheduler } from '../test-support/manual-scheduler.ts';
import { newTask } from '../test-support/new-task.ts';
import { turn } from '../test-support/turn.ts';

describe('Task', () => {
  test('the first failure stands, whatever follows it', () => {
    const task = newTask();
    task.throwFailure();
    task.fail('first');
    task.fail('second');
    task.stop();
    expect([task.failed, task.stopped, task.attention]).toEqual([true, true, true]);
    let caught: unknown;
    try {
      task.throwFailure();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe('first');
  });

  test('undefined is a failure like others', () => {
    const task = newTask();
    task.fail(undefined);
    expect(task.failed).toBe(true);
    expect(() => task.throwFailure()).toThrow();
  });

  test('what fails after a stop is no failure: a cancelled run stays cancelled', () => {
    const task = newTask();
    task.stop();
    task.fail(new Error('aborted'));
    expect([task.failed, task.stopped]).toEqual([false, true]);
    expect(() => task.throwFailure()).not.toThrow();
  });

  test('settled waits for all promises', async () => {
    const task = newTask({ mode: 'async' });
    await task.settled();
    task.begin();
    task.begin();
    let settled = false;
    const waiting = task.settled().then(() => (settled = true));
    task.finish();
    await turn();
    expect([settled, task.attention]).toEqual([false, true]);
    task.finish();
    await waiting;
    expect([settled, task.attention]).toEqual([true, false]);
  });

  test('settled does not wait once the task was stopped', async () => {
    const task = newTask({ mode: 'async' });
    let told = 0;
    task.onChange(() => told++);
    task.begin();
    const waiting = task.settled();
    task.stop();
    await waiting;
    expect(told).toBe(1);
    task.finish();
    expect(task.attention).toBe(true);
  });

  test('rewind forgets the failure and what is in flight, and tells whoever has to forget too', () => {
    const task = newTask({ mode: 'async' });
    const forgotten: string[] = [];
    task.onRewind(() => forgotten.push('a'));
    task.onRewind(() => forgotten.push('b'));
    task.begin();
    task.fail(new Error('boom'));
    task.rewind();
    expect([task.failed, task.stopped, task.pending, task.attention, task.generation]).toEqual([
      false,
      false,
      false,
      false,
      1,
    ]);
    expect(forgotten).toEqual(['a', 'b']);
  });

  test.each(['stop', 'rewind', 'fail'] as const)('%s closes the scopes that are still in use', (end) => {
    const task = newTask({ mode: 'async' });
    const closed: string[] = [];
    const scope = (name: string) => ({ close: () => void closed.push(name) });
    const released = scope('released');
    task.keepOpen(released);
    task.keepOpen(scope('in flight'));
    task.release(released);
    if (end === 'fail') task.fail(new Error('boom'));
    else task[end]();
    expect(closed).toEqual(['in flight']);
    task.stop();
    task.keepOpen(scope('too late'));
    expect(closed).toEqual(['in flight', 'too late']);
  });

  test('a breath is taken after many promises that settle at once, by all that settle meanwhile', async () => {
    const scheduler = new ManualScheduler();
    const task = newTask({ mode: 'async', scheduler });
    for (let i = 0; i < 255; i++) expect(task.breath()).toBeUndefined();
    const first = task.breath();
    expect(first).toBeInstanceOf(Promise);
    expect(task.breath()).toBe(first);
    await first;
    expect([task.breath(), scheduler.breaths]).toEqual([undefined, 1]);
  });
});
