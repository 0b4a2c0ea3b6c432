import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

/** Neither a process nor the job in one ends by itself, and everything is worked off once faults have ended. */
export function checkProcesses({ incarnations, failures, drained, missing }: History): Violation[] {
  const promise = 'processes live';
  return [
    ...incarnations.flatMap(({ incarnation, failure }): Violation[] =>
      failure === undefined
        ? []
        : [{ promise, what: `${incarnation} ended by itself`, evidence: failure.split('\n') }],
    ),
    ...failures.map(({ incarnation, why }): Violation => ({
      promise,
      what: `the job in ${incarnation} ended by itself`,
      evidence: [why],
    })),
    ...(drained === undefined
      ? [
          {
            promise,
            what: 'not everything was worked off after the faults had ended',
            evidence: missing,
          } as const,
        ]
      : []),
  ];
}
