import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@rs/core';
import { Injector } from '../../faults/injector.ts';
import { play } from '../../run/play.ts';
import { Stage } from '../../run/stage.ts';
import type { RunOptions } from '../../run/suite.ts';
import { until } from '../../run/until.ts';
import { scheduleOf } from '../../schedule/schedule.ts';
import { type Lag, PARENT, watchLag } from '../../time/lag.ts';
import { now } from '../../time/now.ts';
import { type Verdict, check } from '../check/check.ts';
import type { History } from '../history/history.ts';
import { readIncarnations } from '../history/read-incarnation.ts';
import { CAST } from '../load/cast.ts';
import { LOAD } from '../load/settings.ts';
import { expectedOf } from '../model/model.ts';
import { missing } from './missing.ts';
import { RedisWatch } from './redis-watch.ts';
import { Scene } from './scene.ts';

export interface Run {
  readonly history: History;
  readonly verdict: Verdict;
  /** Faults that had nobody to hit. */
  readonly skipped: number;
  /** Where the journals are; `undefined` when they were removed. */
  readonly journals: string | undefined;
}

const READY_WITHIN = 30_000;
/** How long nothing may come while there is something missing. */
const STALLED_AFTER = 20_000;
const LOOK_AGAIN = 250;

/** `undefined` when it was interrupted. @throws Error where no Redis is found or workers do not come up */
export async function runRuntime(options: RunOptions): Promise<Run | undefined> {
  const stage = await Stage.open();
  let keep = false;
  try {
    const run = await runIn(await Scene.set(stage, options), options);
    keep = run !== undefined && (options.keep || run.verdict.violations.length > 0);
    return run === undefined ? undefined : { ...run, journals: keep ? stage.directory : undefined };
  } finally {
    await stage.close({ keep });
  }
}

async function runIn(scene: Scene, options: RunOptions): Promise<Omit<Run, 'journals'> | undefined> {
  const { stage, observer, workers, producer } = scene;
  const { seed, seconds, signal, onProgress } = options;
  const wallOffset = systemClock.now() - now();
  const lags: Lag[] = [];
  const stopLags = watchLag((millis) => lags.push({ incarnation: PARENT, at: now(), millis }));
  const watch = new RedisWatch(observer);
  const { server, slots } = stage;
  const injector = new Injector({ server, slots, destroyGroup: () => Promise.resolve(false), signal });
  try {
    onProgress({ seconds: 0, doing: 'starting' });
    await Promise.all([...workers, producer].map((slot) => slot.start()));
    await until('all partitions to have owners', READY_WITHIN, signal, () => observer.owned());

    const { lease, partitions } = LOAD;
    const schedule = scheduleOf({ seed, lasts: seconds * 1_000, lease, partitions, cast: CAST });
    const skipped = await play(injector, { schedule, seconds, signal, onProgress });
    onProgress({ seconds, doing: 'working off the backlog' });
    await Promise.all(workers.map((slot) => slot.start()));
    await producer.stop();
    const ended = now();
    const left = await workedOff(scene, seed, signal);
    const drained = left.length === 0 ? now() - ended : undefined;
    await Promise.all(workers.map((slot) => slot.stop()));
    await watch.close();
    if (signal.aborted) return undefined;

    onProgress({ seconds, doing: 'checking' });
    const disturbances = [...injector.disturbances].sort((a, b) => a.from - b.from);
    await writeFile(
      join(stage.directory, 'faults.jsonl'),
      disturbances.map((each) => `${JSON.stringify(each)}\n`).join(''),
    );
    const journals = await scene.journals();
    const told = readIncarnations(journals);
    const history: History = {
      ...told,
      ...{ seed, lease, wallOffset, disturbances, drained, missing: left },
      incarnations: journals.map(({ process }) => process),
      lags: [...told.lags, ...lags, ...watch.lags],
      log: await observer.log(),
      results: await observer.results(),
      tasks: await observer.tasks(),
      deadLetters: await observer.deadLetters(),
    };
    return { history, verdict: check(history), skipped };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    stopLags();
    await watch.close();
  }
}

/** What is missing when nothing more comes: nothing, if all is well. */
async function workedOff(scene: Scene, seed: number, signal: AbortSignal): Promise<readonly string[]> {
  const { observer } = scene;
  const expected = expectedOf(seed, await observer.log());
  let left: readonly string[] = ['nothing was looked at'];
  let before = '';
  let progressAt = now();
  while (!signal.aborted && now() - progressAt < STALLED_AFTER) {
    left = missing(expected, await observer.results(), await observer.tasks(), await deliveredBy(scene));
    if (left.length === 0) return left;
    const state = left.join();
    if (state !== before) progressAt = now();
    before = state;
    await pause(LOOK_AGAIN, undefined, { signal }).catch(() => undefined);
  }
  return left;
}

async function deliveredBy(scene: Scene): Promise<number> {
  const delivered = new Set<number>();
  for (const { entries } of await scene.journals()) {
    for (const entry of entries) if (entry.type === 'delivered') delivered.add(entry.n);
  }
  return delivered.size;
}
