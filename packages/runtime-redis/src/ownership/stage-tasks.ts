import { isRsError, RsError } from '@rs/core';
import type { LeaseTimes, Timers } from '@rs/mq';
import type { Stage, Topology } from '@rs/runtime';
import type { MakeTaskRunner } from '../job/make-task-runner.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskLease } from '../store/task-lease.ts';
import type { TaskEnd, TaskRunner, TaskStatus } from '../task/runner.ts';
import { Acquirer } from './acquirer.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { OwnershipEvents } from './ownership-events.ts';
import type { TaskLeases } from './task-leases.ts';
import { Turns } from './turns.ts';

/** A stage of the job as this process looks after it. */
export interface StagePlan {
  /** Id of the stage: that of its source. */
  readonly task: string;
  readonly stage: Stage;
  readonly topic: string;
  readonly group: string;
  readonly partitions: number;
  readonly placeOf: (partition: number) => TaskPlace;
  /** Where the input of a partition ends; `undefined`: it does not. */
  readonly untilOf: (partition: number) => string | undefined;
}

export interface StageTasksOptions {
  readonly plan: StagePlan;
  readonly member: string;
  readonly leases: TaskLeases;
  readonly times: LeaseTimes;
  readonly keeper: LeaseKeeper;
  readonly timers: Timers;
  readonly newToken: () => string;
  /** Partitions that are worked on at the same moment. */
  readonly parallelism: number;
  readonly makeRunner: MakeTaskRunner;
  readonly topology: Topology;
  readonly events: OwnershipEvents;
  /** A task has begun or ended: it is worth looking at who has what. */
  readonly onChange: () => void;
  /** A task cannot go on, and nor can the job. */
  readonly onFailed: (place: TaskPlace, error: RsError) => void;
}

interface Held {
  readonly runner: TaskRunner;
  /** Fulfilled when it has ended and everything that follows is done. */
  readonly ended: Promise<void>;
  /** What it was asked for. */
  asked: 'nothing' | 'drain' | 'stop';
}

/**
 * The tasks of one stage that this process owns: acquires those it shall have, runs them, gives up those it shall not.
 *
 * Invariant: a partition is acquired only when no earlier runner of it is left in this process.
 */
export class StageTasks {
  readonly #options: StageTasksOptions;
  readonly #held = new Map<number, Held>();
  readonly #acquirer: Acquirer;
  readonly #turns: Turns;
  /** Partitions of which it is known that their input has ended. */
  readonly #ended = new Set<number>();
  /** How tasks were when they ended here. */
  readonly #last = new Map<number, TaskStatus>();
  /** Partitions whose lease was lost here, and why. */
  readonly #lost = new Map<number, RsError>();
  #wanted: ReadonlySet<number> = new Set();
  /** Partitions whose lease was given back for a task that has not ended. */
  readonly #givenBack = new Set<number>();
  #paused = false;
  #stopped = false;
  /** True when something was left undone that had been read, or not delivered that had been made, as tasks were ended. */
  #leftUndone = false;

  constructor(options: StageTasksOptions) {
    this.#options = options;
    const { plan, member, leases, times, timers, newToken, events, parallelism } = options;
    this.#turns = new Turns(parallelism);
    this.#acquirer = new Acquirer({
      leases,
      placeOf: plan.placeOf,
      untilOf: plan.untilOf,
      owner: member,
      ttl: times.stored,
      timers,
      newToken,
      events,
      wants: (partition) =>
        !this.#stopped &&
        this.#wanted.has(partition) &&
        !this.#held.has(partition) &&
        !this.#ended.has(partition),
      onAcquired: (place, lease, deadline) => this.#open(place, lease, deadline),
    });
  }

  get plan(): StagePlan {
    return this.#options.plan;
  }

  /** How tasks are that this process has, or had last. */
  get statuses(): readonly TaskStatus[] {
    const now = this.runners.map((runner): [number, TaskStatus] => [runner.place.partition, runner.status()]);
    const all = new Map([...this.#last, ...now]);
    return [...all.values()].sort((a, b) => a.partition - b.partition);
  }

  get runners(): readonly TaskRunner[] {
    return [...this.#held.values()].map(({ runner }) => runner);
  }

  get owned(): readonly number[] {
    return [...this.#held.keys()];
  }

  /** Partitions that this process cannot take at the moment. */
  get unable(): readonly number[] {
    return this.#acquirer.rests.resting.filter((partition) => !this.#held.has(partition));
  }

  /** Milliseconds until it can take one more of them. */
  get ableIn(): number {
    return this.#acquirer.rests.shortest;
  }

  /** Partitions that this process should work on and does not, and why: it could not acquire them, or has lost them. */
  get idle(): ReadonlyMap<number, unknown> {
    const all = new Map<number, unknown>([...this.#lost, ...this.#acquirer.troubles]);
    for (const partition of all.keys())
      if (!this.#wanted.has(partition) || this.#held.has(partition)) all.delete(partition);
    return all;
  }

  get ended(): ReadonlySet<number> {
    return this.#ended;
  }

  get finished(): boolean {
    return this.#ended.size >= this.#options.plan.partitions;
  }

  /** After `close`: leases that were not given back for sure. They end by themselves. */
  get unreleased(): number {
    const held = [...this.#held.keys()].filter((partition) => !this.#givenBack.has(partition));
    return held.length + this.#acquirer.unclear;
  }

  /** After `close`: true when all that its tasks had read is committed, and all that they had made delivered. */
  get drained(): boolean {
    return !this.#leftUndone && !this.runners.some((runner) => hasLeftovers(runner.status()));
  }

  /** The input of a partition has ended, here or in another process. */
  noteEnded(partition: number): void {
    if (partition < this.#options.plan.partitions) this.#ended.add(partition);
  }

  /** Gives up what is others', asks for what is its own; fulfilled when it has asked. Never rejected. */
  async follow(wanted: ReadonlySet<number>): Promise<void> {
    if (this.#stopped) return;
    this.#wanted = wanted;
    for (const [partition, held] of this.#held) if (!wanted.has(partition)) ask(held, 'stop');
    for (const partition of this.#lost.keys()) if (!wanted.has(partition)) this.#lost.delete(partition);
    await Promise.all([...wanted].map((partition) => this.#acquirer.acquire(partition)));
  }

  pause(): void {
    this.#paused = true;
    for (const runner of this.runners) runner.pause();
  }

  resume(): void {
    this.#paused = false;
    for (const runner of this.runners) runner.resume();
  }

  /** Ends all tasks and gives back what was being acquired. Never rejected. Whoever calls it limits its time. */
  async close(options: { readonly drain: boolean }): Promise<void> {
    this.#stopped = true;
    this.#wanted = new Set();
    this.#acquirer.stop();
    for (const held of this.#held.values()) ask(held, options.drain ? 'drain' : 'stop');
    await Promise.all([...this.#held.values()].map(({ ended }) => ended));
    await this.#acquirer.close();
  }

  /** After a `close` that drains and takes too long: ends as soon as what is being processed can be undone. */
  hurry(): void {
    for (const held of this.#held.values()) ask(held, 'stop');
  }

  /**
   * When the time for `close` is over: gives back what is still held, whatever functions and sinks are at. No commit of theirs can be made any
   * more. Never rejected.
   */
  async giveBack(): Promise<void> {
    const { leases, events } = this.#options;
    await Promise.all(
      [...this.#held].map(async ([partition, { runner }]) => {
        const { place, token } = runner;
        const { topic } = place;
        runner.lose(
          new RsError(
            'RS_CLOSED',
            `partition ${partition} of topic '${topic}' was given back: the time to stop was up`,
          ),
        );
        try {
          await leases.release({ place, token });
          this.#givenBack.add(partition);
        } catch (error) {
          events.unreleased(place, error);
        }
      }),
    );
  }

  #open(place: TaskPlace, lease: TaskLease, deadline: number): void {
    const { makeRunner, plan, topology, keeper, events, onChange } = this.#options;
    const { partition } = place;
    const runner = makeRunner({
      place,
      lease,
      deadline,
      stage: plan.stage,
      topology,
      paused: this.#paused,
      turn: () => this.#turns.take(partition),
    });
    const ended = this.#work(runner);
    this.#held.set(partition, { runner, ended, asked: 'nothing' });
    this.#lost.delete(partition);
    keeper.add(runner);
    events.acquired(place, lease);
    onChange();
  }

  /** Never rejected. */
  async #work(runner: TaskRunner): Promise<void> {
    const { keeper, onChange } = this.#options;
    const { place } = runner;
    const end = await runner.run();
    keeper.remove(runner);
    const status = runner.status();
    this.#last.set(place.partition, status);
    if (this.#stopped && hasLeftovers(status)) this.#leftUndone = true;
    this.#held.delete(place.partition);
    this.#note(runner, end);
    // Others wait for the partition, or it is to be acquired again: they learn of it with the next meeting.
    onChange();
  }

  #note({ place, token }: TaskRunner, end: TaskEnd): void {
    const { events, leases, onFailed } = this.#options;
    switch (end.type) {
      case 'released':
        events.released(place);
        return;
      case 'finished':
        this.noteEnded(place.partition);
        events.finished(place);
        return;
      case 'lost':
        // It was given back, since the time was up.
        if (this.#stopped && end.error.code === 'RS_CLOSED') return events.released(place);
        events.lost(place, end.error);
        this.#lost.set(place.partition, end.error);
        this.#acquirer.rests.begin(place.partition);
        // It may have been given up while its token stands: nobody need wait for its end, or take it for a crash. A lease that is
        // another owner's is not touched by this.
        leases.release({ place, token }).catch((error: unknown) => {
          if (!isRsError(error, 'RS_CLOSED')) events.unreleased(place, error);
        });
        return;
      case 'failed':
        events.failed(place, end.error);
        onFailed(place, end.error);
    }
  }
}

function hasLeftovers({ inFlight, undelivered }: TaskStatus): boolean {
  return inFlight > 0 || Object.values(undelivered).some((results) => results > 0);
}

/** Asks a task to end, unless it was asked for that or for more. */
function ask(held: Held, how: 'drain' | 'stop'): void {
  if (held.asked === 'stop' || held.asked === how) return;
  held.asked = how;
  held.runner.stop({ drain: how === 'drain' });
}
