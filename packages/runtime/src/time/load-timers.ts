import type { OperatorParts } from '../operator/operator.ts';
import { decodeKey } from '../state/key-encoding.ts';
import type { StoredTimer } from './stored-timer.ts';

/** Puts stored timers back into an operator. */
export function loadTimers(
  operator: OperatorParts,
  timers: Readonly<Record<'event' | 'processing', readonly StoredTimer[]>>,
): void {
  for (const kind of ['event', 'processing'] as const) {
    for (const { time, key, namespace } of timers[kind])
      operator.timers?.[kind].load(time, decodeKey(key), operator.parseNamespace?.(namespace) ?? namespace);
  }
}
