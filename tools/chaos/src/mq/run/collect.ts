import type { Disturbance } from '../../faults/disturbance.ts';
import type { History, Sighting } from '../history/history.ts';
import { readIncarnation } from '../history/read-incarnation.ts';
import type { Entry } from '../history/entry.ts';
import { readJournal } from '../../journal/read-journal.ts';
import { LOAD } from '../load/settings.ts';
import { type Incarnation, incarnationOf } from '../../processes/incarnation.ts';
import type { Scene } from './scene.ts';

export interface Seen {
  readonly seed: number;
  readonly wallOffset: number;
  readonly disturbances: readonly Disturbance[];
  readonly sightings: readonly Sighting[];
  readonly drained: number | undefined;
}

/** Brings together what processes wrote down, what Redis holds and what was seen meanwhile. All workers have ended. */
export async function collect({ stage, observer }: Scene, seen: Seen): Promise<History> {
  const incarnations: Incarnation[] = [];
  const told = [];
  for (const { processes } of stage.slots.values()) {
    for (const process of processes) {
      const incarnation = incarnationOf(process);
      incarnations.push(incarnation);
      told.push(readIncarnation(incarnation, await readJournal<Entry>(process.journal)));
    }
  }
  const [log, deadLetters, states] = await Promise.all([
    observer.log(),
    observer.deadLetters(),
    observer.states(),
  ]);
  return {
    ...{ seed: seen.seed, lease: LOAD.lease, wallOffset: seen.wallOffset, drained: seen.drained },
    ...{ incarnations, log, deadLetters, states },
    disturbances: [...seen.disturbances].sort((a, b) => a.from - b.from),
    sent: told.flatMap(({ sent }) => sent),
    confirmed: told.flatMap(({ confirmed }) => confirmed),
    refused: told.flatMap(({ refused }) => refused),
    handlings: told.flatMap(({ handlings }) => handlings).sort((a, b) => a.start - b.start),
    tenures: told.flatMap(({ tenures }) => tenures).sort((a, b) => a.from - b.from),
    closings: told.flatMap(({ closings }) => closings),
    lags: told.flatMap(({ lags }) => lags),
    sightings: [...seen.sightings, ...told.flatMap(({ sightings }) => sightings)],
  };
}
