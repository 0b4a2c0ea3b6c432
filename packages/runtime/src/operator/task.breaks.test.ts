import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../test-support/deferred.ts';
import { newTask } from '../test-support/new-task.ts';
import { turn } from '../test-support/turn.ts';

describe('a break', () => {
  test('asks for attention until it was taken', () => {
    const task = newTask();
    const steps: string[] = [];
    task.requestBreak(() => void steps.push('a'));
    task.requestBreak(() => void steps.push('b'));
    expect({ ...flags(task), steps }).toEqual({ attention: true, requested: true, steps: [] });
    task.takeBreak();
    expect({ ...flags(task), steps }).toEqual({ attention: false, requested: false, steps: ['a', 'b'] });
  });

  test('is not taken while a promise is pending, nor while work in the background is', () => {
    const task = newTask({ mode: 'async' });
    let taken = 0;
    task.begin();
    task.beginBackground();
    task.requestBreak(() => void taken++);
    task.takeBreak();
    task.finish();
    expect(flags(task)).toEqual({ attention: true, requested: true });
    task.takeBreak();
    expect(taken).toBe(0);
    task.finishBackground();
    task.takeBreak();
    expect(taken).toBe(1);
    expect(flags(task)).toEqual({ attention: false, requested: false });
  });

  test('lets no other step begin until its promise is settled', async () => {
    const task = newTask({ mode: 'async' });
    const first = new Deferred();
    const steps: string[] = [];
    task.requestBreak(() => {
      steps.push('a');
      return first.promise;
    });
    task.requestBreak(() => void steps.push('b'));
    task.takeBreak();
    expect({ ...flags(task), pending: task.pending, steps }).toEqual({
      attention: true,
      requested: true,
      pending: true,
      steps: ['a'],
    });
    first.resolve();
    await task.settled();
    task.takeBreak();
    expect({ ...flags(task), steps }).toEqual({ attention: false, requested: false, steps: ['a', 'b'] });
  });

  test('may ask for another one, which is taken with it', () => {
    const task = newTask();
    const steps: string[] = [];
    task.requestBreak(() => {
      steps.push('a');
      task.requestBreak(() => void steps.push('b'));
    });
    task.takeBreak();
    expect(steps).toEqual(['a', 'b']);
  });

  test('is taken at once while the driver rests', () => {
    const task = newTask();
    task.resting = true;
    let taken = 0;
    task.requestBreak(() => void taken++);
    expect(taken).toBe(1);
  });

  test('wakes whoever listens', () => {
    const task = newTask();
    let heard = 0;
    task.onChange(() => void heard++);
    task.requestBreak(() => undefined);
    expect(heard).toBe(1);
  });

  test('of a task that was stopped is never taken', () => {
    const task = newTask();
    let taken = 0;
    task.requestBreak(() => void taken++);
    task.stop();
    task.takeBreak();
    expect(taken).toBe(0);
    expect(task.attention).toBe(true);
  });

  test('that throws fails the task', () => {
    const task = newTask();
    const boom = new Error('boom');
    task.requestBreak(() => {
      throw boom;
    });
    expect(() => task.takeBreak()).toThrow(boom);
    expect(() => task.throwFailure()).toThrow(boom);
  });

  test('whose promise is rejected fails the task', async () => {
    const task = newTask({ mode: 'async' });
    task.requestBreak(() => Promise.reject(new Error('boom')));
    task.takeBreak();
    await turn();
    expect(() => task.throwFailure()).toThrow('boom');
  });
});

function flags({ attention, breakRequested }: ReturnType<typeof newTask>) {
  return { attention, requested: breakRequested };
}
