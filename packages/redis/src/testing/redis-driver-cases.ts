import { Bench } from './bench.ts';
import { argumentCases } from './cases/arguments.ts';
import { connectCases } from './cases/connect.ts';
import { lossCases } from './cases/loss.ts';
import { replyCases } from './cases/replies.ts';
import { trafficCases } from './cases/traffic.ts';
import type { CaseDefinition, DriverCase, DriverSubject } from './driver-case.ts';

/**
 * What a `RedisDriver` has to do, as cases with a name that any runner of tests can run, one by one and in any order. They
 * need a server, or a cluster, that the driver connects to, with a user who may do everything to keys under `prefix`.
 */
export function redisDriverCases(subject: DriverSubject): readonly DriverCase[] {
  return [...connectCases, ...argumentCases, ...replyCases, ...trafficCases, ...lossCases]
    .filter(({ ownServer }) => !(ownServer && subject.tls === true))
    .map((definition) => ({ name: definition.name, run: () => run(definition, subject) }));
}

async function run(definition: CaseDefinition, subject: DriverSubject): Promise<void> {
  const bench = new Bench(subject.driver(), subject.prefix);
  try {
    await definition.run(bench);
  } finally {
    await bench.clear();
  }
}
