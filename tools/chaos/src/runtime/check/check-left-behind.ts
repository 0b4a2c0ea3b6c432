import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

/** When everybody has stopped, leases are given back, and what others look at says that the job has everything. */
export function checkLeftBehind({ tasks }: History): Violation[] {
  return tasks.flatMap(({ partition, last, held, delivered, lag, owned }) => {
    const tell = (what: string): Violation => ({
      ...{ promise: 'nothing is left behind', what: `partition ${partition}: ${what}`, evidence: [] },
    });
    return [
      ...(owned ? [tell('its lease was not given back')] : []),
      ...(held === last
        ? []
        : [tell(`retention keeps what comes after ${held}, and the last record is ${last}`)]),
      ...(delivered === last && lag === 0
        ? []
        : [
            tell(
              `the group is at ${delivered ?? 'no place'} with a lag of ${lag ?? 'nobody knows what'}, and the last record is ${last}`,
            ),
          ]),
    ];
  });
}
