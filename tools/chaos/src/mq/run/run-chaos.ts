import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@rs/core';
import { type Verdict, check } from '../check/check.ts';
import { Injector } from '../../faults/injector.ts';
import type { History } from '../history/history.ts';
import { play } from '../../run/play.ts';
import { Stage } from '../../run/stage.ts';
import type { RunOptions } from '../../run/suite.ts';
import { POLL, until } from '../../run/until.ts';
import { CAST } from '../load/cast.ts';
import { LOAD } from '../load/settings.ts';
import type { Observer } from '../redis/observer.ts';
import { isDrained } from '../redis/stored.ts';
import { scheduleOf } from '../../schedule/schedule.ts';
import { now } from '../../time/now.ts';
import { type Lag, PARENT, watchLag } from '../../time/lag.ts';
import { collect } from './collect.ts';
import { LeaseWatch } from './lease-watch.ts';
import { type Scene, setScene } from './scene.ts';

export interface Run {
  readonly history: History;
  readonly verdict: Verdict;
  /** Faults that had nobody to hit. */
  readonly skipped: number;
  /** Where the journals are; `undefined` when they were removed. */
  readonly journals: string | undefined;
}

const READY_WITHIN = 30_000;
/** How long nothing may be settled while there is a backlog. */
const STALLED_AFTER = 20_000;

/** `undefined` when it was interrupted. @throws Error where no Redis is found or workers do not come up */
export async function runChaos(options: RunOptions): Promise<Run | undefined> {
  const stage = await Stage.open();
  let keep = false;
  try {
    const run = await runIn(await setScene(stage, options), options);
    keep = run !== undefined && (options.keep || run.verdict.violations.length > 0);
    return run === undefined ? undefined : { ...run, journals: keep ? stage.directory : undefined };
  } finally {
    await stage.close({ keep });
  }
}

async function runIn(scene: Scene, options: RunOptions): Promise<Omit<Run, 'journals'> | undefined> {
  const { stage, observer, consumers, producer } = scene;
  const { server, slots } = stage;
  const { seed, seconds, signal, onProgress } = options;
  const wallOffset = systemClock.now() - now();
  const lags: Lag[] = [];
  const stopLags = watchLag((millis) => lags.push({ incarnation: PARENT, at: now(), millis }));
  const watch = new LeaseWatch(observer);
  const destroyGroup = (partition: number): Promise<boolean> => observer.destroyGroup(partition);
  const injector = new Injector({ server, slots, destroyGroup, signal });
  try {
    onProgress({ seconds: 0, doing: 'starting' });
    await Promise.all([...consumers, producer].map((slot) => slot.start()));
    await until('all partitions to have owners', READY_WITHIN, signal, async () =>
      (await observer.leases()).every(({ owner }) => owner !== ''),
    );

    const { lease, partitions } = LOAD;
    const schedule = scheduleOf({ seed, lasts: seconds * 1_000, lease, partitions, cast: CAST });
    const skipped = await play(injector, { schedule, seconds, signal, onProgress });
    onProgress({ seconds, doing: 'working off the backlog' });
    await Promise.all(consumers.map((slot) => slot.start()));
    await producer.start();
    await producer.stop();
    const ended = now();
    const drained = (await workedOff(observer, signal)) ? now() - ended : undefined;
    await Promise.all(consumers.map((slot) => slot.stop()));
    await watch.close();
    if (signal.aborted) return undefined;

    onProgress({ seconds, doing: 'checking' });
    const { disturbances } = injector;
    await writeFile(
      join(stage.directory, 'faults.jsonl'),
      disturbances.map((each) => `${JSON.stringify(each)}\n`).join(''),
    );
    const { sightings } = watch;
    const history = await collect(scene, { seed, wallOffset, disturbances, sightings, drained });
    const all: History = { ...history, lags: [...history.lags, ...lags, ...watch.lags] };
    return { history: all, verdict: check(all), skipped };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    stopLags();
    await watch.close();
  }
}

/** False when nobody works on what there is. */
async function workedOff(observer: Observer, signal: AbortSignal): Promise<boolean> {
  let before = '';
  let progressAt = now();
  while (!signal.aborted && now() - progressAt < STALLED_AFTER) {
    const states = await observer.states();
    if (states.every(isDrained)) return true;
    const lows = states.map(({ low }) => low).join(' ');
    if (lows !== before) progressAt = now();
    before = lows;
    await pause(POLL, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
