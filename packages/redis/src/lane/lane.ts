import { RsError, isRsError } from '@rs/core';
import type { Call } from '../client/call.ts';
import type { RedisConnection, RedisNode, RedisReply } from '../driver/driver.ts';
import { silence } from '../connection/silence.ts';
import { Batch, needsLoading } from './batch.ts';
import type { Link, LinkEvents } from './link.ts';

/** Missing more often than this, a script is loaded with pauses: somebody keeps emptying the cache. */
const MAX_RELOADS = 3;

export interface LaneOptions {
  readonly link: (events: LinkEvents) => Link;
  /** Milliseconds without a byte that moves, with calls unanswered, after which the connection is given up as dead. */
  readonly replyTimeout: number;
  /** The reply of a call was an error; but NOSCRIPT, which the lane sees to itself. */
  readonly refused: (call: Call, error: RsError, lane: Lane, from: RedisNode) => void;
  /** An attempt to connect failed. The calls of the lane wait for the next one, unless they are taken or rejected now. */
  readonly unreachable: (lane: Lane, error: RsError) => void;
  /** The connection ended with calls unanswered. */
  readonly lost: (lane: Lane) => void;
  /** The lane was retired before these could be sent (again). */
  readonly stranded: (calls: readonly Call[]) => void;
}

/**
 * The way to one server: gathers the calls of one turn into one `send`, and sends again what has to be.
 *
 * Calls keep their order. Once a call has to be sent again, because its script is missing or its connection is gone, nothing
 * new is written until the replies of everything before it are there; then those calls go first. Only a script that another
 * client loads between two of our calls, just after the cache was emptied, can let the second go first.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #link: Link;
  /** Not written yet, in order. */
  #waiting: Call[] = [];
  /** To be sent again, in order, before all that wait. */
  #again: Call[] = [];
  #underWay = 0;
  #scheduled = false;
  /** Something waits for the replies that are under way. */
  #held = false;
  #retired = false;
  /** Why there is no connection: calls that come between two attempts hear of it too. */
  #away: RsError | undefined;
  /** To be replaced. */
  #outdated: RedisConnection | undefined;
  /** Where silence is not to last. */
  #watched: RedisConnection | undefined;
  #cancelWatch = nothing;
  /** What the server of this connection was given. It forgets with a restart, and that ends the connection. */
  #loadedOn: RedisConnection | undefined;
  readonly #loaded = new Set<string>();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#link = options.link({
      connected: () => {
        this.#away = undefined;
        this.#write();
      },
      failed: (error) => {
        this.#away = error;
        for (const call of this.#waiting) call.lastError = error;
        this.#options.unreachable(this, error);
        this.#write();
      },
    });
  }

  get current(): RedisConnection | undefined {
    return this.#link.current;
  }

  push(call: Call): void {
    call.lastError ??= this.#away;
    this.#waiting.push(call);
    this.#schedule();
  }

  /** Takes the calls that were not written yet: for those who know a better place for them. */
  takeWaiting(): Call[] {
    const calls = [...this.#again, ...this.#waiting];
    this.#again = [];
    this.#waiting = [];
    return calls;
  }

  /** Makes a new connection as soon as the replies that are under way have come. */
  renew(): void {
    this.#outdated ??= this.#link.current;
    this.#settle();
  }

  /** Gives its calls away and closes, as soon as the replies that are under way have come. */
  retire(): void {
    this.#retired = true;
    this.#settle();
  }

  close(): void {
    this.#unwatch();
    this.#link.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      this.#write();
    });
  }

  #write(): void {
    this.#held = false;
    if (this.#retired) {
      this.#settle();
      return;
    }
    if (this.#again.length > 0 || this.#outdated !== undefined) {
      if (this.#hold()) return;
      this.#waiting = this.takeWaiting();
    }
    this.#waiting = this.#waiting.filter((call) => !call.settled);
    const connection = this.#link.current;
    if (connection === undefined) {
      if (this.#waiting.length > 0) this.#link.connect();
      return;
    }
    if (this.#loadedOn !== connection) {
      this.#loadedOn = connection;
      this.#loaded.clear();
    }
    this.#waiting = this.#waiting.filter((call) => isFor(call, connection.node));
    while (this.#waiting.length > 0) {
      // A script that has vanished since would let calls go first that load theirs.
      if (needsLoading(this.#waiting, this.#loaded) && this.#hold()) return;
      this.#send(connection, this.#next());
    }
  }

  /** Whether to wait for the replies that are under way. */
  #hold(): boolean {
    this.#held = this.#underWay > 0;
    return this.#held;
  }

  /** What goes out in one `send`: everything, but for those that have to show that they can be sent at all. */
  #next(): Call[] {
    const alone = this.#waiting.findIndex((call) => call.alone);
    const count = alone < 0 ? this.#waiting.length : Math.max(1, alone);
    return this.#waiting.splice(0, count);
  }

  #send(connection: RedisConnection, calls: readonly Call[]): void {
    const batch = new Batch(calls, this.#loaded);
    for (const call of calls) call.sent(connection.node);
    this.#underWay++;
    const sending = connection.send(batch.commands, (reply, at) => batch.arrived(reply, at));
    this.#watch(connection);
    sending.then(
      (replies) => {
        this.#link.healthy();
        this.#answered(connection, batch, replies);
      },
      (reason: unknown) => this.#failed(connection, calls, reason),
    );
  }

  #answered(connection: RedisConnection, batch: Batch, replies: readonly RedisReply[]): void {
    this.#done();
    batch.forEach(replies, (call, reply) => {
      if (call.settled) return;
      if (!isRsError(reply)) {
        call.resolve(reply);
        return;
      }
      // The whole cache was emptied, so the others are missing too.
      if (isMissingScript(reply)) this.#loaded.clear();
      if (isMissingScript(reply) && call.reloads < MAX_RELOADS) {
        call.reloads++;
        call.lastError = reply;
        this.#again.push(call);
      } else {
        this.#options.refused(call, reply, this, connection.node);
      }
    });
    this.#settle();
  }

  #failed(connection: RedisConnection, calls: readonly Call[], reason: unknown): void {
    if (isRsError(reason, 'RS_INVALID_ARGUMENT')) {
      this.#invalid(calls, reason);
      return;
    }
    this.#done();
    if (this.#link.current === connection) this.#link.drop(connection);
    const unsent = isRsError(reason) && reason.details.sent === false;
    for (const call of calls) {
      if (call.settled) continue;
      if (isRsError(reason)) call.lastError = reason;
      if (unsent || (call.resendable && isRsError(reason, 'RS_REDIS_CONNECTION_LOST')))
        this.#again.push(call);
      else call.reject(reason);
    }
    if (this.#underWay === 0) this.#options.lost(this);
    this.#settle();
  }

  /** Nothing was sent because of an argument of one of them: alone, each finds out whether it is the one. */
  #invalid(calls: readonly Call[], reason: RsError): void {
    this.#done();
    this.#loaded.clear();
    for (const call of calls) {
      if (call.settled) continue;
      if (calls.length === 1) call.reject(reason);
      else this.#again.push(call);
      call.alone = true;
    }
    this.#settle();
  }

  /** One `send` is over. */
  #done(): void {
    this.#underWay--;
    if (this.#underWay === 0) this.#unwatch();
  }

  #settle(): void {
    if (this.#underWay > 0) return;
    if (this.#retired) {
      this.close();
      const calls = this.takeWaiting();
      if (calls.length > 0) this.#options.stranded(calls);
      return;
    }
    if (this.#outdated !== undefined) {
      this.#link.drop(this.#outdated);
      this.#outdated = undefined;
    }
    // Otherwise what waits goes out with the rest of its turn.
    if (this.#held || this.#again.length > 0) this.#write();
  }

  /** A half-open socket says nothing: only time tells. It goes on from the first call under way, however many follow. */
  #watch(connection: RedisConnection): void {
    if (this.#watched === connection) return;
    this.#unwatch();
    this.#watched = connection;
    this.#cancelWatch = silence(connection, this.#options.replyTimeout, () => this.#link.drop(connection));
  }

  #unwatch(): void {
    this.#cancelWatch();
    this.#watched = undefined;
  }
}

/** A call for one very server ends where another has taken its place: after a failover, behind Sentinels. */
function isFor(call: Call, node: RedisNode): boolean {
  const { node: wanted } = call;
  if (wanted === undefined || (wanted.host === node.host && wanted.port === node.port)) return true;
  call.reject(
    new RsError(
      'RS_REDIS_UNAVAILABLE',
      `${call.name} is for ${wanted.host}:${wanted.port}, but the master is ${node.host}:${node.port} now`,
      { details: { name: call.name, wanted, node } },
    ),
  );
  return false;
}

function isMissingScript(error: RsError): boolean {
  return error.details.prefix === 'NOSCRIPT';
}

const nothing = (): void => undefined;
