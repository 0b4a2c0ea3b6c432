import type { RsError } from '@rs/core';
import { deadline } from '../connection/deadline.ts';
import type { RedisCommand, RedisNode, RedisReply } from '../driver/driver.ts';
import { monotonic } from '../monotonic.ts';
import type { Script } from '../script/script.ts';
import { lateError } from './late-error.ts';
import { notAllowed } from './not-allowed.ts';

export interface CallInit {
  readonly command: RedisCommand;
  /** Without one it is a plain command, which is never sent again after it may have been executed. */
  readonly script?: Script | undefined;
  /** Its keys, for people. */
  readonly keys?: readonly string[];
  /** The hash slot of its keys; undefined without keys, and on a single server. */
  readonly slot?: number | undefined;
  /** It goes to this very server. */
  readonly node?: RedisNode | undefined;
  /** Is told each time that Redis refuses it for now. */
  readonly onRefused?: ((error: RsError) => void) | undefined;
}

/**
 * One call under way: what to send, how often that was refused, and the promise of its caller. It ends exactly once, by a
 * reply, an error, its deadline, its signal or the end of the client; whoever holds it looks at `settled` first.
 */
export class Call {
  readonly command: RedisCommand;
  readonly script: Script | undefined;
  readonly keys: readonly string[];
  readonly slot: number | undefined;
  readonly node: RedisNode | undefined;
  readonly promise: Promise<RedisReply>;
  settled = false;
  /** Goes out behind ASKING: its slot is being moved, and this node is to serve it already. */
  asking = false;
  /** Goes out in a `send` of its own: beside others it could not be sent, because of it or of them. */
  alone = false;
  redirects = 0;
  /** How often its script was missing. */
  reloads = 0;
  /** Refusals and lost connections so far: the exponent of its backoff. */
  failures = 0;
  /** Where it was written last. */
  sentTo: RedisNode | undefined;
  /** How often Redis has refused it. */
  refusals = 0;
  /** Whether that was its last answer, and nothing is under way. */
  refused = false;
  /** Why it was not answered when it was tried last. */
  lastError: RsError | undefined;

  /** When it was made, by the clock that measures times. */
  readonly since = monotonic();
  readonly #timeout: number;
  readonly #onRefused: ((error: RsError) => void) | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #abort: (() => void) | undefined;
  readonly #ended: (call: Call) => void;
  readonly #cancel: () => void;
  #pause: NodeJS.Timeout | undefined;
  #resolve: (reply: RedisReply) => void = nothing;
  #reject: (reason: unknown) => void = nothing;

  /**
   * @param timeout milliseconds from now until it is given up
   * @param ended is told when the call has ended, however it did
   */
  constructor(init: CallInit, timeout: number, signal: AbortSignal | undefined, ended: (call: Call) => void) {
    this.command = init.command;
    this.script = init.script;
    this.keys = init.keys ?? [];
    this.slot = init.slot;
    this.node = init.node;
    this.#onRefused = init.onRefused;
    this.#timeout = timeout;
    this.#signal = signal;
    this.#ended = ended;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#cancel = deadline(timeout, () => this.#expire());
    if (signal !== undefined) {
      this.#abort = () => this.reject(signal.reason);
      signal.addEventListener('abort', this.#abort, { once: true });
    }
  }

  get name(): string {
    return this.script === undefined ? this.command.name : `script ${this.script.name}`;
  }

  /** Whether it may be sent again although it may have been executed. */
  get resendable(): boolean {
    return this.script?.resendable === true;
  }

  resolve(reply: RedisReply): void {
    if (this.#end()) this.#resolve(reply);
  }

  reject(reason: unknown): void {
    if (this.#end()) this.#reject(notAllowed(this, reason));
  }

  /** It has gone out, and nothing is known of its reply. */
  sent(node: RedisNode): void {
    this.sentTo = node;
    this.refused = false;
  }

  /** The server cannot at the moment: it goes out again, a little later. */
  refuse(error: RsError): void {
    this.lastError = error;
    this.failures++;
    this.refused = error.code === 'RS_REDIS_REFUSED';
    if (!this.refused) return;
    this.refusals++;
    this.#onRefused?.(error);
  }

  /** Goes on with `next` after `delay` milliseconds, unless it has ended by then. */
  pause(delay: number, next: () => void): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(next, delay);
  }

  #end(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#cancel();
    clearTimeout(this.#pause);
    if (this.#abort !== undefined) this.#signal?.removeEventListener('abort', this.#abort);
    this.#ended(this);
    return true;
  }

  #expire(): void {
    this.reject(lateError(this, this.#timeout));
  }
}

const nothing = (): void => undefined;
