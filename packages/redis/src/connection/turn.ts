import type { RedisReply } from '../driver/driver.ts';

/** One call of a blocking connection: its promise, which several may end, and what it has come to. */
export class Turn {
  readonly promise: Promise<readonly RedisReply[]>;
  /** The command was written. */
  sent = false;
  /** It was asked to come back early. */
  woken = false;
  over = false;
  #resolve: (replies: readonly RedisReply[]) => void = nothing;
  #reject: (reason: unknown) => void = nothing;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(replies: readonly RedisReply[]): void {
    this.over = true;
    this.#resolve(replies);
  }

  reject(reason: unknown): void {
    this.over = true;
    this.#reject(reason);
  }
}

const nothing = (): void => undefined;
