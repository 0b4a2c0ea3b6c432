import { ownValue, type RsError } from '@rs/core';
import { compareIds } from '@rs/mq';
import type { RuntimeSettings } from '../options/settings.ts';
import { type Cursor, cursorOf, cursorText } from '../sink/cursor.ts';
import { idAfter, NO_ID } from '../sink/out-position.ts';
import type { TaskSink } from '../sink/task-sink.ts';
import type { CommitOp } from '../store/commit-op.ts';
import type { TaskCommit } from '../store/task-commit.ts';
import { Delivery } from './delivery.ts';
import { type OutEntry, outEntry } from './out-entry.ts';
import type { OutFeed } from './out-feed.ts';
import type { OutTarget } from './out-target.ts';
import type { Replicated } from './replication.ts';

/** Results that leave the slot: they wait in an out log until they are delivered. */
export interface TaskOut {
  /** Of the out log. */
  readonly key: string;
  readonly feed: OutFeed;
  readonly cursor: Cursor;
  readonly target: OutTarget;
  /** Looks at the target before anything is delivered. Gives the name of another history that positions belong to from now on. */
  readonly open?: () => Promise<string | undefined>;
  /** The log has been trimmed: entries with lower ids are gone. */
  readonly onTrimmed?: (minId: string) => void;
}

/** One sink of a task. */
export interface TaskOutput {
  /** How messages call it. */
  readonly label: string;
  readonly sink: TaskSink;
  readonly out?: TaskOut;
}

export interface TaskOutputsEvents {
  /** Something was delivered, or has failed: the task may have something to do. */
  readonly onChange: () => void;
  /** Delivering has failed and will be tried again. `attempts`: in a row. */
  readonly onTrouble: (error: RsError, attempts: number) => void;
  /** Delivering cannot go on. `RS_LEASE_LOST`: the task is somebody else's. */
  readonly onFatal: (error: RsError) => void;
}

/** Results that a replica has not confirmed. */
export interface Unreplicated {
  readonly results: number;
  /** Milliseconds. */
  readonly waited: number;
}

/** Nothing has a lower id. */
const NOTHING_TRIMMED = idAfter(NO_ID);

type Settings = Pick<RuntimeSettings, 'timers' | 'random' | 'retry' | 'outLog'>;

interface Running {
  readonly id: string;
  readonly out: TaskOut;
  readonly delivery: Delivery;
  /** The cursor as it is stored. */
  stored: string;
  /** Entries with lower ids were removed by us. */
  trimmed: string;
}

/** What becomes of the results of one task: how each becomes part of a commit, and what follows when it is made. */
export class TaskOutputs {
  /** By operator id. */
  readonly sinks: ReadonlyMap<string, TaskSink>;
  readonly #outputs: ReadonlyMap<string, TaskOutput>;
  readonly #events: TaskOutputsEvents;
  readonly #settings: Settings;
  readonly #replicated: Replicated | undefined;
  #running: readonly Running[] = [];
  #started = false;

  /** @param replicated what has to be waited for before the results of a commit are delivered. Default: nothing */
  constructor(
    outputs: ReadonlyMap<string, TaskOutput>,
    events: TaskOutputsEvents,
    settings: Settings,
    replicated?: Replicated,
  ) {
    this.#outputs = outputs;
    this.#events = events;
    this.#settings = settings;
    this.#replicated = replicated;
    this.sinks = new Map([...outputs].map(([id, { sink }]) => [id, sink]));
  }

  /**
   * Looks at what an earlier owner has left, and at what the targets have. Before the first commit; may be called again after an error.
   *
   * @throws RsError `RS_LOG_ROLLED_BACK`; what the client throws
   */
  async open(): Promise<void> {
    this.#running = await Promise.all(
      [...this.#outputs].flatMap(([id, { label, out }]) =>
        out === undefined ? [] : [this.#open(id, label, out)],
      ),
    );
  }

  /** Begins to deliver. */
  start(): void {
    this.#started = true;
    for (const each of this.#running) startIfStored(each);
  }

  /** The form in which a value waits for its commit. @throws RsError for what cannot be written; it fails the record */
  transfer(value: unknown, operator: string): unknown {
    const sink = this.sinks.get(operator);
    return sink === undefined ? value : sink.transfer(value);
  }

  /** Writes of a commit that come before those of its results. With the {@link cursors} of the same moment. */
  ops(seq: number): readonly CommitOp[] {
    // Ids of entries begin with the number of their commit: what another life of the task has left would be above them.
    if (seq === 1) return this.#running.map(({ out }) => ({ type: 'unlink', key: out.key }));
    // One commit behind the cursors: a topic that has lost the end of what it was given can be given it again.
    return this.#running.flatMap(({ out, stored, trimmed }) => {
      const minId = idAfter(cursorOf(stored).id);
      return compareIds(minId, trimmed) > 0 ? [{ type: 'xtrim' as const, key: out.key, minId }] : [];
    });
  }

  /** What the next commit writes of deliveries: cursors by sink. */
  cursors(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#running.map(({ id, delivery }) => [id, delivery.cursorText]));
  }

  /** A commit was answered: what it wrote can be delivered. */
  committed({ seq, ops, cursors }: Pick<TaskCommit, 'seq' | 'ops' | 'cursors'>): void {
    const written = new Map<string, OutEntry[]>();
    const trimmed = new Map<string, string>();
    for (const op of ops) {
      if (op.type === 'xadd') written.set(op.key, op.entries.map(outEntry));
      else if (op.type === 'xtrim') trimmed.set(op.key, op.minId);
    }
    for (const each of this.#running) {
      each.stored = ownValue(cursors, each.id) ?? each.stored;
      each.trimmed = trimmed.get(each.out.key) ?? each.trimmed;
      each.out.onTrimmed?.(each.trimmed);
      each.delivery.committed(seq, written.get(each.out.key) ?? []);
      if (this.#started) startIfStored(each);
    }
  }

  /** True while so much waits for one sink that the task must not make more. */
  get full(): boolean {
    return this.#running.some(({ out }) => out.feed.bytes > this.#settings.outLog.maxBytes);
  }

  /** True when everything that was committed is delivered. */
  get empty(): boolean {
    return this.#running.every(({ out }) => out.feed.empty);
  }

  /** True when the next commit has cursors to write. */
  get moved(): boolean {
    return this.#running.some(({ delivery, stored }) => delivery.cursorText !== stored);
  }

  /** Results that wait, by sink outside of the slot. */
  undelivered(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#running.map(({ id, out }) => [id, out.feed.entries]));
  }

  /** Sinks that cannot be served at the moment, and why. */
  failures(): Readonly<Record<string, RsError>> {
    return Object.fromEntries(
      this.#running.flatMap(({ id, delivery }) =>
        delivery.failure === undefined ? [] : [[id, delivery.failure] as const],
      ),
    );
  }

  /** Results that wait until a replica has their commit, and for how many milliseconds the first of them has; `undefined`: none. */
  unreplicated(): Unreplicated | undefined {
    const waiting = this.#running.filter(({ delivery }) => delivery.unreplicatedFor > 0);
    if (waiting.length === 0) return undefined;
    return {
      results: waiting.reduce((sum, { out }) => sum + out.feed.entries, 0),
      waited: Math.max(...waiting.map(({ delivery }) => delivery.unreplicatedFor)),
    };
  }

  /** Delivers nothing more; fulfilled when the calls under way have ended, which can take as long as a sink likes. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map(({ delivery }) => delivery.close()));
  }

  async #open(id: string, label: string, out: TaskOut): Promise<Running> {
    await out.feed.open();
    const gen = await out.open?.();
    const { timers, random, retry } = this.#settings;
    const delivery = new Delivery({
      ...this.#events,
      label,
      feed: out.feed,
      target: out.target,
      cursor: gen === undefined ? out.cursor : { ...out.cursor, gen },
      timers,
      random,
      backoff: retry,
      replicated: this.#replicated,
    });
    return { id, out, delivery, stored: cursorText(out.cursor), trimmed: NOTHING_TRIMMED };
  }
}

/** Positions of another history must not reach a target before it is written down which one that is. */
function startIfStored({ delivery, stored }: Running): void {
  if (delivery.cursor.gen === cursorOf(stored).gen) delivery.start();
}
