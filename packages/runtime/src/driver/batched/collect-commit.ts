import type { Plan } from '../../graph/plan.ts';
import type { CommitBatch, OperatorTimerChange } from './backend.ts';

/** Everything that has changed since the last commit. Changes nothing itself, so it can be made again. */
export function collectCommit(
  plan: Plan,
  facts: Pick<CommitBatch, 'seq' | 'offset' | 'outputs' | 'sent' | 'operators' | 'late' | 'lateRecords'>,
): CommitBatch {
  return { ...facts, cells: plan.place.store.changes(), timers: plan.operators.flatMap(timerChanges) };
}

function timerChanges({ id, instance }: Plan['operators'][number]): OperatorTimerChange[] {
  const { timers } = instance;
  if (timers === undefined) return [];
  return (['event', 'processing'] as const).flatMap((kind) =>
    timers[kind].changes().map((change) => ({ ...change, operator: id, kind })),
  );
}
