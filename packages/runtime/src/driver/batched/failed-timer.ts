import type { Plan } from '../../graph/plan.ts';
import type { OperatorInstance } from '../../operator/operator.ts';
import type { FiringTimer } from '../../operator/timed-operator.ts';
import { decodeKey, encodeKey } from '../../state/key-encoding.ts';
import type { StoredTimer } from '../../time/stored-timer.ts';
import type { Timer } from '../../time/timer-entry.ts';

/** A timer whose callback has failed: its key and namespace are texts, as they are stored. */
export interface FailedTimer extends StoredTimer {
  /** Id of the operator. */
  readonly operator: string;
  readonly kind: 'event' | 'processing';
}

/** The timer that a task's failure is on account of, if it is one. */
export function failedTimerOf({ operators }: Plan, cause: unknown): FailedTimer | undefined {
  if (cause === undefined) return undefined;
  const { operator, kind, timer } = cause as FiringTimer; // Nothing else is a cause.
  const id = operators.find(({ instance }) => instance === operator)?.id;
  if (id === undefined) return undefined;
  const { time, key, namespace } = timer;
  return { operator: id, kind, time, key: encodeKey(key), namespace: String(namespace) };
}

/** The operator that a timer waits in; `undefined` when there is no such timer (any more). */
export function findTimer(
  { operators }: Plan,
  { operator, kind, time, key, namespace }: FailedTimer,
): { readonly instance: OperatorInstance; readonly timer: Timer } | undefined {
  for (const { id, instance } of operators) {
    if (id !== operator || instance.timers === undefined) continue;
    const timer = {
      time,
      key: decodeKey(key),
      namespace: instance.parseNamespace?.(namespace) ?? namespace,
    };
    if (instance.timers[kind].has(time, timer.key, timer.namespace)) return { instance, timer };
  }
  return undefined;
}
