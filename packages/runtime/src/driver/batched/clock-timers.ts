import type { PlannedOperator } from '../../graph/plan.ts';
import type { Task } from '../../operator/task.ts';
import type { Barrier } from './barrier.ts';
import type { OrderCounter } from './order.ts';
import type { Prefetch } from './prefetch.ts';
import { lift, type TimePasses } from './time-passes.ts';

export interface ClockTimersParts {
  readonly task: Task;
  readonly counter: OrderCounter;
  readonly barriers: readonly Barrier[];
  readonly prefetch: Prefetch;
  readonly passes: TimePasses;
  readonly operators: readonly PlannedOperator[];
}

/**
 * Fires the processing-time timers that are due, operator by operator; when no more may fire, the others wait for the next
 * time.
 *
 * @param onFiring called before an operator fires
 */
export async function fireByClock(parts: ClockTimersParts, now: number, onFiring: () => void): Promise<void> {
  const { task, counter, barriers, prefetch, passes, operators } = parts;
  counter.leave();
  for (const { prefetcher } of barriers)
    if (prefetcher !== undefined) await prefetch.forTimers(task, prefetcher, now, passes.left);
  task.assertRunning();
  for (const [index, { instance }] of operators.entries()) {
    if ((instance.nextProcessingTime?.() ?? Infinity) > now) continue;
    onFiring();
    counter.begin(index + 1);
    task.bound(passes.left, 'processing');
    task.guard(() => instance.advanceProcessingTime?.(now));
    await task.drained();
    task.assertRunning();
    const stopped = task.stepwise?.stop !== undefined;
    task.bound(undefined);
    // What it sent on comes before the timers of the operators behind it, as in a chain.
    await passes.drainAll();
    if (stopped) break;
  }
  lift(operators);
}
