import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

/** Nobody ends by himself, and a backlog is worked off once faults have ended. */
export function checkProcesses({ incarnations, drained, states }: History): Violation[] {
  const violations: Violation[] = incarnations.flatMap(({ incarnation, failure }) =>
    failure === undefined
      ? []
      : [
          {
            promise: 'processes live',
            what: `${incarnation} ended by itself`,
            evidence: failure.split('\n'),
          },
        ],
  );
  if (drained !== undefined) return violations;
  const evidence = states.map(
    ({ partition, last, delivered = 'no group', pending, low, owned }) =>
      `partition ${partition}: last ${last}, delivered ${delivered}, ${pending} pending, low ${low}, ${owned ? 'owned' : 'without owner'}`,
  );
  return [
    ...violations,
    {
      promise: 'processes live',
      what: 'the backlog was not worked off after the faults had ended',
      evidence,
    },
  ];
}
