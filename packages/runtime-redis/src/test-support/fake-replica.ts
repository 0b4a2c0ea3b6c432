import { RsError } from '@rs/core';
import type { BlockingConnection, RedisCommand, RedisReply } from '@rs/redis';

/** What becomes of the next round. */
export type RoundFate =
  | 'confirmed'
  /** No replica answers in time. */
  | 'alone'
  /** The connection is lost. */
  | 'lost'
  /** The server has become another one before the replica has confirmed. */
  | 'replaced'
  | RsError;

/** A master for `mark-commits` and `WAIT`: it answers when the test says so. */
export class FakeReplica {
  /** Token and last commit of each task, by the key of its lease. */
  readonly tasks = new Map<string, { readonly token: string; readonly seq: number }>();
  /** Connections that were made, and how many of them were closed. */
  connections = 0;
  closed = 0;
  /** The leases that each round asked for. */
  readonly rounds: string[][] = [];
  /** The script is not loaded yet. */
  scriptMissing = false;
  #answer: ((fate: RoundFate) => void) | undefined;

  connect(): BlockingConnection {
    this.connections++;
    let fail: ((error: RsError) => void) | undefined;
    return {
      call: () => Promise.reject(new Error('a round is sent in one go')),
      calls: (commands) =>
        new Promise((resolve, reject) => {
          const [marking] = commands;
          if (marking?.name === 'EVALSHA' && this.scriptMissing) {
            resolve([
              new RsError('RS_REDIS_REFUSED', 'Redis replied: NOSCRIPT', { details: { prefix: 'NOSCRIPT' } }),
              1,
              null,
            ]);
            return;
          }
          // What the server has is looked at when the commands arrive there, not when it answers.
          const { mark, leases, replies } = this.#marked(commands);
          this.rounds.push(leases);
          fail = reject;
          this.#answer = (fate) => {
            this.#answer = undefined;
            if (fate instanceof RsError) resolve([replies, fate, mark]);
            else if (fate === 'lost')
              reject(new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost'));
            else resolve([replies, fate === 'alone' ? 0 : 1, fate === 'replaced' ? null : mark]);
          };
        }),
      wake: () => undefined,
      close: () => {
        this.closed++;
        fail?.(new RsError('RS_CLOSED', 'the connection is closed'));
      },
    };
  }

  /** Ends the round under way. */
  answer(fate: RoundFate = 'confirmed'): void {
    if (this.#answer === undefined) throw new Error('no round is under way');
    this.#answer(fate);
  }

  #marked([marking, waiting, reading]: readonly RedisCommand[]): {
    readonly mark: string;
    readonly leases: string[];
    readonly replies: RedisReply;
  } {
    const [, count, ...rest] = marking?.args ?? [];
    const keys = rest.slice(0, Number(count)).map(String);
    const [mark = '', , ...tokens] = rest.slice(Number(count)).map(String);
    const order = [waiting?.name, waiting?.args[0], reading?.name, reading?.args[0]].join(' ');
    if (order !== `WAIT 1 GET ${keys[0]}`) throw new Error(`after the mark came ${order}`);
    const leases = keys.filter((_, at) => at % 2 === 1);
    const replies = leases.map((lease, at) => {
      const task = this.tasks.get(lease);
      return task?.token === tokens[at] ? (task?.seq ?? -1) : -1;
    });
    return { mark, leases, replies };
  }
}
