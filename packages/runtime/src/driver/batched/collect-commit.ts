import type { Plan } from '../../graph/plan.ts';
import type { Task } from '../../operator/task.ts';
import type { CommitBatch, OperatorTimerChange } from './backend.ts';

/** Everything that has changed since the last commit. Changes nothing itself, so it can be made again. */
export function collectCommit(
  task: Task,
  plan: Plan,
  facts: Pick<CommitBatch, 'seq' | 'offset' | 'outputs' | 'operators' | 'late'>,
): CommitBatch {
  return { ...facts, cells: task.store.changes(), timers: plan.operators.flatMap(timerChanges) };
}

function timerChanges({ id, instance }: Plan['operators'][number]): OperatorTimerChange[] {
  const { timers } = instance;
  if (timers === undefined) return [];
  return (['event', 'processing'] as const).flatMap((kind) =>
    timers[kind].changes().map((change) => ({ ...change, operator: id, kind })),
  );
}
