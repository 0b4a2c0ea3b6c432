import { type History, type Tenure, placeOf } from '../history/history.ts';
import { type PartitionState, isDrained } from '../redis/stored.ts';
import { messageEvidence, partitionEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

const promise = 'only the owner changes state';

/** Each epoch has one owner, none starts a handler once another has taken over, and nothing is left behind at the end. */
export function checkOwnership(history: History): Violation[] {
  return [...checkEpochs(history), ...checkStarts(history), ...history.states.flatMap(checkState)];
}

function checkEpochs(history: History): Violation[] {
  const owners = new Map<string, Tenure>();
  const violations: Violation[] = [];
  for (const tenure of history.tenures) {
    const { partition, epoch, incarnation } = tenure;
    const before = owners.get(`${partition} ${epoch}`);
    owners.set(`${partition} ${epoch}`, tenure);
    if (before === undefined) continue;
    violations.push({
      promise,
      what: `partition ${partition} had two owners under epoch ${epoch}: ${before.incarnation} and ${incarnation}`,
      evidence: partitionEvidence(history, partition, before.from, tenure.from),
    });
  }
  return violations;
}

function checkStarts(history: History): Violation[] {
  const tenures = new Map<number, Tenure[]>();
  for (const tenure of history.tenures) {
    const list = tenures.get(tenure.partition) ?? [];
    tenures.set(tenure.partition, [...list, tenure]);
  }
  return history.handlings.flatMap((handling) => {
    const { partition, epoch, called, incarnation } = handling;
    const next = tenures.get(partition)?.find((each) => each.epoch > epoch && each.from < called);
    if (next === undefined) return [];
    const what = `${incarnation} started ${placeOf(handling)} under epoch ${epoch}, after ${next.incarnation} had taken over with epoch ${next.epoch}`;
    return [{ promise, what, evidence: messageEvidence(history, handling) }];
  });
}

/** As it is when everything is settled and everybody has closed. */
function checkState(state: PartitionState): Violation[] {
  const { partition, last, delivered = 'no group', pending, low, held, owned, retries, attempts } = state;
  const problems: string[] = [];
  if (!isDrained(state)) {
    problems.push(
      `it ends with ${last}, the group was given ${delivered}, ${pending} are pending, low is ${low}`,
    );
  }
  if (held !== low) problems.push(`retention keeps what is above ${held}, the low watermark is ${low}`);
  if (owned) problems.push('its lease is held by somebody after all have closed');
  if (retries.length > 0) problems.push(`retries are recorded of ${retries.join(' ')}`);
  if (attempts.length > 0) problems.push(`attempts are recorded of ${attempts.join(' ')}`);
  return problems.map((what) => ({ promise, what: `partition ${partition}: ${what}`, evidence: [] }));
}
