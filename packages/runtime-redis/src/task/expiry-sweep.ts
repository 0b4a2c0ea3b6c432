import type { StateDescriptor } from '@rs/core';
import type { Timers } from '@rs/mq';
import type { StateSweep } from '../store/state-sweep.ts';

/** A declared state of a task. */
export interface SweptState {
  /** Id of the operator that it is stored under. */
  readonly operator: string;
  readonly descriptor: StateDescriptor;
  /** The clock that its time to live counts on. */
  readonly now: () => number;
}

export interface ExpirySweepOptions {
  readonly states: readonly SweptState[];
  /** Milliseconds that those live which do not say; `undefined`: for ever. */
  readonly stateTtl: number | undefined;
  readonly sweepOf: (state: StateDescriptor, operator: string) => Pick<StateSweep, 'step'>;
  readonly timers: Pick<Timers, 'monotonic'>;
}

interface Sweep {
  readonly steps: Pick<StateSweep, 'step'>;
  readonly ttl: number;
  readonly now: () => number;
  /** On the monotonic clock. */
  nextAt: number;
}

/** Milliseconds of work at once, after which the task goes on with what it is there for. */
const BUDGET = 5;
/** Milliseconds between two times of work on one state. */
const PAUSE = 1_000;
/**
 * While more than this part of what is looked at has expired, it goes on as soon as the task had three times as long for itself. So of what
 * is stored no more than about this part waits to be removed, however fast it comes.
 */
const MANY = 0.1;
const SHARE = 3;
/** When everything was looked through, the next round begins after this part of the time to live, within bounds. */
const REST = { part: 0.1, least: PAUSE, most: 60_000 } as const;

/** Removes the state of keys that never come again once it has expired, a little now and then. */
export class ExpirySweep {
  readonly #timers: Pick<Timers, 'monotonic'>;
  readonly #sweeps: readonly Sweep[];

  constructor({ states, stateTtl, sweepOf, timers }: ExpirySweepOptions) {
    this.#timers = timers;
    const nextAt = timers.monotonic() + PAUSE;
    this.#sweeps = states.flatMap(({ operator, descriptor, now }) => {
      const ttl = descriptor.ttl ?? stateTtl;
      return ttl === undefined ? [] : [{ steps: sweepOf(descriptor, operator), ttl, now, nextAt }];
    });
  }

  /** Milliseconds until there is something to do; `Infinity` for a task whose state does not expire. */
  get dueIn(): number {
    return Math.min(...this.#sweeps.map(({ nextAt }) => nextAt)) - this.#timers.monotonic();
  }

  /**
   * Works on the state that has waited longest. To be called while everything that was processed is committed.
   *
   * @throws RsError `RS_LEASE_LOST`; as `RedisClient.run`. It goes on after a pause
   */
  async run(): Promise<void> {
    const begun = this.#timers.monotonic();
    const [sweep] = [...this.#sweeps].sort((a, b) => a.nextAt - b.nextAt);
    if (sweep === undefined || sweep.nextAt > begun) return;
    sweep.nextAt = begun + PAUSE;
    let through = false;
    let seen = 0;
    let expired = 0;
    while (!through && this.#timers.monotonic() < begun + BUDGET) {
      const step = await sweep.steps.step(sweep.now());
      through = step.through;
      seen += step.seen;
      expired += step.expired;
    }
    const ended = this.#timers.monotonic();
    if (through) sweep.nextAt = ended + restOf(sweep.ttl);
    else if (expired > seen * MANY) sweep.nextAt = ended + SHARE * (ended - begun);
  }
}

function restOf(ttl: number): number {
  return Math.min(Math.max(ttl * REST.part, REST.least), REST.most);
}
