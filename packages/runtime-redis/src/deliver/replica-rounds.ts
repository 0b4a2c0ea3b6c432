import { isRsError, type Logger, RsError } from '@rs/core';
import { backoffDelay, type Ids, type Timers } from '@rs/mq';
import type { BlockingConnection, RedisReply } from '@rs/redis';
import type { TaskKeys } from '../keys/task-keys.ts';
import { asRsError } from '../task/failure.ts';
import { markCommits } from '../lua/scripts.generated.ts';
import { list } from '../store/replies.ts';

export interface ReplicaRoundsOptions {
  /** A new connection, for nothing but this, to the server that has the key. */
  readonly connect: (key: string) => BlockingConnection;
  readonly timers: Pick<Timers, 'after' | 'monotonic'>;
  readonly random: () => number;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** A task under one lease, and what a replica is known to have of it. */
export interface ReplicatedTask {
  readonly keys: Pick<TaskKeys, 'own' | 'meta' | 'ack'>;
  readonly token: string;
  readonly topic: string;
  readonly partition: number;
  /** A replica has the commits up to this one. */
  replicated: number;
}

interface Waiter {
  readonly task: ReplicatedTask;
  readonly seq: number;
  /** How many connections have found a server without its commit. */
  missed: number;
  readonly end: (error?: RsError) => void;
}

/** Milliseconds that a replica has for one round. Who leaves meanwhile does not wait for it. */
const WAIT = 1_000;
/** Milliseconds until a mark is removed: longer than any round. */
const MARK_TTL = 60_000;
/** Those of one round at most: the script is not interrupted. */
const MOST = 500;
const PAUSE = { initialBackoff: 50, maxBackoff: 1_000, multiplier: 2, jitter: 'full' } as const;

/**
 * Finds out which commits a replica of one server has, one round at a time: whoever comes while a round is under way waits for the next
 * one, so any number of tasks cost one. Commits wait for nothing of it.
 *
 * Invariant: a commit counts as replicated when a server has had it and then a mark behind it, and a replica has confirmed that mark to this very
 * server. `WAIT` speaks only for the writes of its own connection, and says nothing about what a failover has taken back before.
 */
export class ReplicaRounds {
  readonly #options: ReplicaRoundsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  #connection: BlockingConnection | undefined;
  #running = false;
  #closed = false;
  /** Rounds in a row that have failed. */
  #failures = 0;
  #failure: RsError | undefined;
  #failingSince = 0;
  #endPause: (() => void) | undefined;

  constructor(options: ReplicaRoundsOptions) {
    this.#options = options;
  }

  /** Why nobody gets an answer at the moment; `undefined` when all is well, or nobody waits. */
  get failure(): RsError | undefined {
    return this.#waiting.size === 0 ? undefined : this.#failure;
  }

  /**
   * Fulfilled once a replica has the commit with this number of the task, for however long that takes.
   *
   * @throws RsError `RS_LEASE_LOST` when Redis has not got that commit, or it is not this owner's any more; `RS_CLOSED`; the reason of the signal
   */
  replicated(task: ReplicatedTask, seq: number, signal: AbortSignal): Promise<void> {
    if (task.replicated >= seq) return Promise.resolve();
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#closed) throw closed();
      const leave = (): void => {
        this.#waiting.delete(waiter);
        reject(signal.reason as Error);
      };
      const end = (error?: RsError): void => {
        signal.removeEventListener('abort', leave);
        this.#waiting.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const waiter: Waiter = { task, seq, missed: 0, end };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiter);
      if (!this.#running) void this.#run();
    });
  }

  /** Those who wait are told `RS_CLOSED`. Idempotent. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiting]) waiter.end(closed());
    this.#endPause?.();
    this.#disconnect();
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Those who begin to wait in the same turn share the first round.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      try {
        await this.#round();
      } catch (error) {
        if (this.#closed) break;
        await this.#failed(asRsError(error, 'a replica could not be waited for'));
      }
    }
    this.#failures = 0;
    this.#failure = undefined;
    this.#running = false;
  }

  async #round(): Promise<void> {
    const asked = [...this.#waiting].slice(0, MOST);
    const tasks = [...new Set(asked.map(({ task }) => task))];
    const [first] = tasks;
    if (first === undefined) return;
    this.#connection ??= this.#options.connect(first.keys.own);
    const mark = this.#options.ids();
    const replies = await this.#send(this.#connection, first.keys.ack, tasks, mark);
    const last = list(replies[0]).map(Number);
    const seqs = new Map(tasks.map((task, at) => [task, last[at] ?? -1]));
    const missing = asked.filter(({ task, seq }) => seq > (seqs.get(task) ?? -1));
    // It may be a server whose place another one has taken: the next connection is to the one that counts now.
    if (missing.length > 0) this.#disconnect();
    for (const waiter of missing) if (++waiter.missed > 1) waiter.end(lost(waiter));
    if (missing.length === asked.length) return;
    checkConfirmed(replies, mark);
    this.#succeeded();
    for (const [task, seq] of seqs) task.replicated = Math.max(task.replicated, seq);
    for (const waiter of [...this.#waiting]) if (waiter.task.replicated >= waiter.seq) waiter.end();
  }

  /** Leaves a mark, waits until a replica has it, and looks whether it is still there. Gives the replies to these. */
  async #send(
    connection: BlockingConnection,
    key: string,
    tasks: readonly ReplicatedTask[],
    mark: string,
  ): Promise<readonly RedisReply[]> {
    const { script, keys, args } = markCommits({
      keys: { mark: key, tasks: tasks.flatMap(({ keys }) => [keys.own, keys.meta]) },
      args: { value: mark, ttl: MARK_TTL, tokens: tasks.map(({ token }) => token) },
    });
    const sendAs = (name: string, body: string): Promise<readonly RedisReply[]> =>
      connection.calls(
        [
          { name, args: [body, keys.length, ...keys, ...args] },
          { name: 'WAIT', args: [1, WAIT] },
          { name: 'GET', args: [key] },
        ],
        { block: WAIT },
      );
    let replies = await sendAs('EVALSHA', script.sha1);
    const [marked] = replies;
    if (isRsError(marked) && marked.details['prefix'] === 'NOSCRIPT')
      replies = await sendAs('EVAL', script.source);
    const error = replies.find((reply) => isRsError(reply));
    if (error !== undefined) throw error;
    return replies;
  }

  #disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #succeeded(): void {
    const { timers, logger } = this.#options;
    if (this.#failure !== undefined) {
      const seconds = ((timers.monotonic() - this.#failingSince) / 1_000).toFixed(1);
      logger.info({}, `a replica of Redis confirms commits again, after ${seconds} s`);
    }
    this.#failures = 0;
    this.#failure = undefined;
  }

  /** Told once, however long it lasts. */
  #failed(error: RsError): Promise<void> {
    const { timers, logger, random } = this.#options;
    if (this.#failure === undefined) {
      this.#failingSince = timers.monotonic();
      logger.warn({ error }, `results wait until a replica of Redis has their commits: ${error.message}`);
    }
    this.#failure = error;
    return new Promise((resolve) => {
      const cancel = timers.after(backoffDelay(PAUSE, ++this.#failures, random), resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

/** @throws RsError unless a replica has the mark, and the server that was asked still has it too */
function checkConfirmed([, replicas, stored]: readonly RedisReply[], mark: string): void {
  if (typeof replicas !== 'number' || replicas < 1) {
    throw new RsError(
      'RS_REDIS_TIMEOUT',
      `no replica of Redis has confirmed within ${WAIT} ms that it has the last commits`,
    );
  }
  // One that was made a replica and then a master again has another past than its connections remember.
  if (stored !== mark) {
    throw new RsError('RS_REDIS_CONNECTION_LOST', 'Redis has lost what a replica was asked to confirm');
  }
}

function lost({ task: { topic, partition }, seq }: Waiter): RsError {
  return new RsError(
    'RS_LEASE_LOST',
    `partition ${partition} of topic '${topic}': Redis does not have commit ${seq} of this process; another process has the partition by now, ` +
      'or a failover has lost the commit',
    { details: { topic, partition, seq } },
  );
}

function closed(): RsError {
  return new RsError('RS_CLOSED', 'the job has ended in this process');
}
