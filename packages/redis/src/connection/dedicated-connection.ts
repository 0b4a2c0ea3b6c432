import { RsError, isRsError } from '@rs/core';
import type { BlockingCallOptions, BlockingConnection } from '../client/client.ts';
import type { RedisCommand, RedisConnection, RedisNode, RedisReply } from '../driver/driver.ts';
import type { LinkEvents } from '../lane/link.ts';
import { deadline } from './deadline.ts';
import { silence } from './silence.ts';
import { SupervisedConnection, type SupervisedConnectionOptions } from './supervised-connection.ts';
import { Turn } from './turn.ts';
import { Waker } from './waker.ts';

export interface DedicatedConnectionOptions extends SupervisedConnectionOptions {
  /** Milliseconds of silence after the `block` of a call until the connection is given up; also the patience with `wake`. */
  readonly slack: number;
  /**
   * Sends `CLIENT UNBLOCK id TIMEOUT` to this node over another connection. It has to be this very server: elsewhere the id
   * is that of a stranger.
   */
  readonly unblock: (id: number, node: RedisNode) => Promise<RedisReply>;
}

const CLIENT_ID: RedisCommand = { name: 'CLIENT', args: ['ID'] };

/** After these another server has to be found; the connection is none to the master any more. */
const ELSEWHERE: ReadonlySet<unknown> = new Set(['MOVED', 'ASK', 'READONLY', 'MASTERDOWN']);

/** A connection for one blocking command at a time. */
export class DedicatedConnection implements BlockingConnection {
  readonly #options: DedicatedConnectionOptions;
  readonly #link: SupervisedConnection;
  readonly #waker: Waker;
  /** Those who wait for a connection. */
  readonly #opening = new Set<LinkEvents>();
  #turn: Turn | undefined;
  /** Of the connection that stands. 0: it would not say. */
  #id: { readonly of: RedisConnection; readonly id: number } | undefined;
  #closed = false;

  constructor(options: DedicatedConnectionOptions) {
    this.#options = options;
    this.#waker = new Waker({ patience: options.slack, unblock: options.unblock });
    this.#link = new SupervisedConnection(options, {
      connected: (connection) => this.#each((waiting) => waiting.connected(connection)),
      failed: (error) => this.#each((waiting) => waiting.failed(error)),
    });
  }

  async call(command: RedisCommand, options: BlockingCallOptions): Promise<RedisReply> {
    const [reply = null] = await this.calls([command], options);
    if (isRsError(reply)) throw reply;
    return reply;
  }

  async calls(
    commands: readonly RedisCommand[],
    { block, signal }: BlockingCallOptions,
  ): Promise<readonly RedisReply[]> {
    if (this.#closed) throw this.#closedError();
    signal?.throwIfAborted();
    if (this.#turn !== undefined) throw this.#busyError(commands);
    const turn = new Turn();
    this.#turn = turn;
    const abort = (): void => {
      if (turn.over) return;
      turn.reject(signal?.reason);
      if (turn.sent) this.#drop();
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#run(turn, commands, block).then(
      (replies) => turn.resolve(replies),
      (reason: unknown) => turn.reject(reason),
    );
    try {
      return await turn.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#turn = undefined;
    }
  }

  wake(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.over || turn.woken) return;
    turn.woken = true;
    const connection = this.#link.current;
    // Nothing is blocked where nothing was sent: its time is over here and now.
    if (!turn.sent || connection === undefined) turn.resolve([]);
    else {
      const { node } = connection;
      this.#waker.wake(turn, {
        id: this.#id?.id ?? 0,
        node,
        traffic: () => connection.traffic(),
        drop: () => this.#link.drop(connection),
      });
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#turn?.reject(this.#closedError());
    this.#each((waiting) => waiting.failed(this.#closedError()));
    this.#link.close();
  }

  async #run(turn: Turn, commands: readonly RedisCommand[], block: number): Promise<readonly RedisReply[]> {
    // A late UNBLOCK of the call before would wake this one.
    await this.#waker.idle();
    if (turn.over) return [];
    const connection = await this.#open();
    if (turn.over) return [];
    if (this.#id?.of !== connection || this.#id.id === 0) {
      const [id] = await this.#exchange(connection, [CLIENT_ID], 0);
      this.#id = { of: connection, id: typeof id === 'number' ? id : 0 };
      if (turn.over) return [];
    }
    turn.sent = true;
    const replies = await this.#exchange(connection, commands, block);
    if (replies.some((reply) => isRsError(reply) && ELSEWHERE.has(reply.details.prefix))) {
      this.#link.drop(connection);
    }
    return replies;
  }

  #open(): Promise<RedisConnection> {
    const { current } = this.#link;
    if (current !== undefined) return Promise.resolve(current);
    return new Promise((resolve, reject) => {
      this.#opening.add({ connected: resolve, failed: reject });
      this.#link.connect();
    });
  }

  /** Commands and their replies, or the end of the connection. */
  async #exchange(
    connection: RedisConnection,
    commands: readonly RedisCommand[],
    block: number,
  ): Promise<readonly RedisReply[]> {
    let silent = false;
    const drop = (): void => {
      silent = true;
      this.#link.drop(connection);
    };
    // A long reply may need more than the slack to arrive.
    let cancel = deadline(block, () => {
      cancel = silence(connection, this.#options.slack, drop);
    });
    try {
      const replies = await connection.send(commands);
      this.#link.healthy();
      return replies;
    } catch (reason) {
      throw silent ? this.#silentError(connection.node, commands, block, reason) : reason;
    } finally {
      cancel();
    }
  }

  #drop(): void {
    const { current } = this.#link;
    if (current !== undefined) this.#link.drop(current);
  }

  #each(tell: (waiting: LinkEvents) => void): void {
    const all = [...this.#opening];
    this.#opening.clear();
    for (const waiting of all) tell(waiting);
  }

  #silentError(
    { host, port }: RedisNode,
    commands: readonly RedisCommand[],
    block: number,
    cause: unknown,
  ): RsError {
    const { target, slack } = this.#options;
    const name = namesOf(commands);
    return new RsError(
      'RS_REDIS_TIMEOUT',
      `${target}: ${name} got no reply from ${host}:${port} within ${block} ms and a slack of ${slack} ms; ` +
        'the connection was given up',
      { cause, details: { target, name, node: { host, port }, block, slack, sent: true } },
    );
  }

  #busyError(commands: readonly RedisCommand[]): RsError {
    return new RsError(
      'RS_INVALID_ARGUMENT',
      `${this.#options.target}: ${namesOf(commands)} was called while another call is under way; await that first, or wake() it`,
    );
  }

  #closedError(): RsError {
    return new RsError('RS_CLOSED', `the connection of ${this.#options.target} is closed`);
  }
}

function namesOf(commands: readonly RedisCommand[]): string {
  return commands.map(({ name }) => name).join(', ');
}
