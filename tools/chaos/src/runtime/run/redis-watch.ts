import { setTimeout as pause } from 'node:timers/promises';
import { type Lag, NOTEWORTHY, REDIS } from '../../time/lag.ts';
import { now } from '../../time/now.ts';
import type { Observer } from '../redis/observer.ts';

const EVERY = 100;

/** Measures what Redis and its disk need for an answer on this machine. */
export class RedisWatch {
  readonly lags: Lag[] = [];
  readonly #observer: Observer;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;

  constructor(observer: Observer) {
    this.#observer = observer;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const asked = now();
      // The server is away now and then.
      await this.#observer.owned().catch(() => undefined);
      const at = now();
      if (at - asked > NOTEWORTHY) this.lags.push({ incarnation: REDIS, at, millis: at - asked });
      await pause(EVERY, undefined, { signal }).catch(() => undefined);
    }
  }
}
