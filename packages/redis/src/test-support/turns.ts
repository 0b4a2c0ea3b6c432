import { jest } from '@jest/globals';

/** Timers stand still until a test moves them; promises and ticks go on. */
export function stopTimers(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'hrtime'] });
}

/** Lets everything that is ready happen. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Moves timers on, and lets what follows from them happen, millisecond by millisecond. */
export async function pass(milliseconds: number): Promise<void> {
  await turn();
  await jest.advanceTimersByTimeAsync(milliseconds);
  await turn();
}
