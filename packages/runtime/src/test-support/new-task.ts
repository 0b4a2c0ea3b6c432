import { silentLogger } from '@rs/core';
import { Task, type TaskOptions } from '../operator/task.ts';
import { systemScheduler } from '../time/scheduler.ts';
import { FakeClock } from './fake-clock.ts';

/** A task of a run in the calling stack, over resident state, unless the test says otherwise. */
export function newTask(options: Partial<TaskOptions> = {}): Task {
  return new Task({
    mode: 'sync',
    processingTime: 'records',
    clock: new FakeClock(),
    logger: silentLogger,
    scheduler: systemScheduler,
    residentState: true,
    ...options,
  });
}
