import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@rs/core';
import { type Verdict, check } from '../check/check.ts';
import { Injector } from '../faults/injector.ts';
import type { History, Lag } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import type { Observer } from '../redis/observer.ts';
import { isDrained } from '../redis/stored.ts';
import type { Fault } from '../schedule/fault.ts';
import { scheduleOf } from '../schedule/schedule.ts';
import { now } from '../time/now.ts';
import { watchLag } from '../workers/lag.ts';
import { collect } from './collect.ts';
import { LeaseWatch } from './lease-watch.ts';
import { type Scene, setScene } from './scene.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** Of load with faults; starting, working off the backlog and checking come on top. */
  readonly seconds: number;
  /** Messages per second. */
  readonly rate: number;
  /** Keeps the journals also when every promise was kept. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
  /** Is told what goes on. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  /** Seconds of the load so far. */
  readonly seconds: number;
  readonly doing: string;
}

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
const POLL = 100;

/** `undefined` when it was interrupted. @throws Error where no Redis is found or workers do not come up */
export async function runChaos(options: ChaosOptions): Promise<Run | undefined> {
  const scene = await setScene(options);
  let keep = false;
  try {
    const run = await runIn(scene, options);
    keep = run !== undefined && (options.keep || run.verdict.violations.length > 0);
    return run === undefined ? undefined : { ...run, journals: keep ? scene.directory : undefined };
  } finally {
    await scene.close({ keep });
  }
}

async function runIn(scene: Scene, options: ChaosOptions): Promise<Omit<Run, 'journals'> | undefined> {
  const { server, observer, slots, consumers, producer } = scene;
  const { seed, seconds, signal, onProgress } = options;
  const wallOffset = systemClock.now() - now();
  const lags: Lag[] = [];
  const stopLags = watchLag((millis) => lags.push({ incarnation: 'chaos', at: now(), millis }));
  const watch = new LeaseWatch(observer);
  const destroyGroup = (partition: number): Promise<boolean> => observer.destroyGroup(partition);
  const injector = new Injector({ server, slots, destroyGroup, signal });
  try {
    onProgress({ seconds: 0, doing: 'starting' });
    await Promise.all([...consumers, producer].map((slot) => slot.start()));
    await until('all partitions to have owners', READY_WITHIN, signal, async () =>
      (await observer.leases()).every(({ owner }) => owner !== ''),
    );

    const skipped = await load(injector, options);
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
      join(scene.directory, 'faults.jsonl'),
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

/** Load with faults, until both are over. Gives the number of faults that had nobody to hit. */
async function load(
  injector: Injector,
  { seed, seconds, signal, onProgress }: ChaosOptions,
): Promise<number> {
  const began = now();
  const elapsed = (): number => now() - began;
  const { lease, partitions, consumers } = LOAD;
  const schedule = scheduleOf({ seed, lasts: seconds * 1_000, lease, partitions, consumers });
  let doing = 'no fault yet';
  const ticking = setInterval(
    () => onProgress({ seconds: Math.min(seconds, elapsed() / 1_000), doing }),
    250,
  );
  const faults: Promise<boolean>[] = [];
  try {
    for (const { at, fault } of schedule) {
      await pause(Math.max(0, at - elapsed()), undefined, { signal });
      doing = describe(fault);
      faults.push(injector.apply(fault));
    }
    await pause(Math.max(0, seconds * 1_000 - elapsed()), undefined, { signal });
  } finally {
    await Promise.allSettled(faults);
    clearInterval(ticking);
  }
  return (await Promise.all(faults)).filter((done) => !done).length;
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

function describe(fault: Fault): string {
  if ('worker' in fault) return `${fault.kind} ${fault.worker}`;
  return 'partition' in fault ? `${fault.kind} of partition ${fault.partition}` : fault.kind;
}

/** @throws Error when the time is over; what the condition throws counts as not yet */
async function until(
  what: string,
  timeout: number,
  signal: AbortSignal,
  condition: () => Promise<boolean>,
): Promise<void> {
  const deadline = now() + timeout;
  while (!(await condition().catch(() => false))) {
    if (now() > deadline) throw new Error(`Waited ${timeout / 1_000} s in vain for ${what}`);
    await pause(POLL, undefined, { signal });
  }
}
