import { RsError, isRsError } from '@rs/core';
import type { RedisConnection, RedisDriver, RedisNode, RedisReply } from '../driver/driver.ts';
import { type BackoffLimits, backoff } from '../lane/backoff.ts';
import { type SlotTable, nodeName, readClusterSlots } from './slot-table.ts';

export interface TopologyOptions {
  readonly driver: RedisDriver;
  /** Milliseconds to connect to some node when none that is connected answers. */
  readonly timeout: number;
  /** Between two times of asking. */
  readonly pauses: BackoffLimits;
  readonly random: () => number;
  /** Connections that stand: asked first. */
  readonly standing: () => readonly RedisConnection[];
  readonly changed: (table: SlotTable) => void;
  /** Nobody could be asked. */
  readonly failed: (error: RsError) => void;
}

/** A node that takes longer than this is passed over for the next. */
const ANSWER_TIMEOUT = 1_000;

const NO_CLUSTER = /cluster support disabled/i;

const CLUSTER_SLOTS = { name: 'CLUSTER', args: ['SLOTS'] };

/** Asks the cluster who serves what: one time at once, the next no sooner than after a pause. */
export class Topology {
  readonly #options: TopologyOptions;
  readonly #closing = new AbortController();
  #asking = false;
  /** Wanted again while it was being asked, or in the pause after that. */
  #wanted = false;
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  /** Asks now or, when that was just done, soon. `changed` or `failed` follow. */
  refresh(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#asking || this.#pause !== undefined) this.#wanted = true;
    else void this.#ask();
  }

  close(): void {
    clearTimeout(this.#pause);
    this.#closing.abort(new RsError('RS_CLOSED', 'the client is closed'));
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    this.#wanted = false;
    const table = await this.#tableOfAnyone();
    this.#asking = false;
    if (this.#closing.signal.aborted) return;
    this.#failures = isRsError(table) ? this.#failures + 1 : 0;
    const { pauses, random } = this.#options;
    this.#pause = setTimeout(
      () => {
        this.#pause = undefined;
        if (this.#wanted) void this.#ask();
      },
      backoff(this.#failures + 1, pauses, random),
    );
    if (isRsError(table)) this.#options.failed(table);
    else this.#options.changed(table);
  }

  async #tableOfAnyone(): Promise<SlotTable | RsError> {
    const { driver, standing, timeout } = this.#options;
    for (const connection of shuffled(standing(), this.#options.random)) {
      const table = await this.#tableOf(connection);
      if (!isRsError(table) || this.#closing.signal.aborted) return table;
    }
    let connection: RedisConnection | undefined;
    try {
      connection = await driver.connect({ timeout, signal: this.#closing.signal });
      return await this.#tableOf(connection);
    } catch (reason) {
      return asError(reason, driver.name);
    } finally {
      connection?.destroy();
    }
  }

  async #tableOf(connection: RedisConnection): Promise<SlotTable | RsError> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<RedisReply>((_, reject) => {
      timer = setTimeout(() => reject(silent(connection.node)), ANSWER_TIMEOUT);
    });
    const asked = connection.send([CLUSTER_SLOTS]).then(([reply]) => reply ?? null);
    try {
      const reply = await Promise.race([asked, late]);
      if (!isRsError(reply)) return readClusterSlots(reply, connection.node);
      return NO_CLUSTER.test(String(reply.details.reply))
        ? singleBehindCluster(reply, connection.node)
        : reply;
    } catch (reason) {
      return asError(reason, nodeName(connection.node));
    } finally {
      clearTimeout(timer);
    }
  }
}

function singleBehindCluster(cause: RsError, node: RedisNode): RsError {
  return new RsError(
    'RS_REDIS_CONFIG',
    `${nodeName(node)} is no node of a cluster, but the client was made for one; make a Redis of ioredis`,
    { cause, details: { node } },
  );
}

function silent(node: RedisNode): RsError {
  return new RsError(
    'RS_REDIS_TIMEOUT',
    `${nodeName(node)} did not say within ${ANSWER_TIMEOUT} ms who serves which slot`,
    {
      details: { node },
    },
  );
}

function asError(reason: unknown, who: string): RsError {
  if (isRsError(reason)) return reason;
  return new RsError('RS_REDIS_UNAVAILABLE', `${who} could not say who serves which slot`, { cause: reason });
}

/** A node that is cut off answers from memory, so it must not always be the same that is asked. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
