import type { Logger } from '@rs/core';
import type { Timers } from '../time/timers.ts';
import { type TopicInfo, unknownTopic } from './topic-info.ts';
import type { TopicStore } from './topic-store.ts';

export interface TopicDirectoryOptions {
  readonly store: Pick<TopicStore, 'read'>;
  readonly timers: Pick<Timers, 'monotonic'>;
  readonly logger: Logger;
  /** Milliseconds after which a topic in use is looked at again. */
  readonly refresh: number;
}

interface Entry {
  readonly info: TopicInfo;
  readonly readAt: number;
}

/**
 * What this process knows of topics, so that a message costs no question. A topic is read once, and again in the
 * background when it is used after `refresh`. An error of Redis changes nothing that is known: a guess would send keys to
 * the wrong partitions.
 */
export class TopicDirectory {
  readonly #options: TopicDirectoryOptions;
  readonly #known = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<TopicInfo | undefined>>();

  constructor(options: TopicDirectoryOptions) {
    this.#options = options;
  }

  /** What is known, without waiting; `undefined` when nothing is. */
  peek(name: string): TopicInfo | undefined {
    const entry = this.#known.get(name);
    if (entry === undefined) return undefined;
    const { timers, refresh } = this.#options;
    if (timers.monotonic() - entry.readAt >= refresh) this.#refresh(name);
    return entry.info;
  }

  /** @throws RsError `RS_UNKNOWN_TOPIC`, and what the client throws when nothing is known yet */
  async get(name: string): Promise<TopicInfo> {
    const info = this.peek(name) ?? (await this.read(name));
    if (info === undefined) throw unknownTopic(name);
    return info;
  }

  /** Reads it now; those who ask at the same time share one answer. `undefined` for a topic that does not exist. */
  read(name: string): Promise<TopicInfo | undefined> {
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      reading = this.#read(name).finally(() => this.#reading.delete(name));
      this.#reading.set(name, reading);
    }
    return reading;
  }

  /** Takes over what a change of this process has brought. An answer that was under way meanwhile may be older. */
  put(info: TopicInfo): void {
    const known = this.#known.get(info.name)?.info;
    if (known !== undefined && known.createdAt === info.createdAt && known.version > info.version) return;
    this.#known.set(info.name, { info, readAt: this.#options.timers.monotonic() });
  }

  async #read(name: string): Promise<TopicInfo | undefined> {
    const info = await this.#options.store.read(name);
    if (info === undefined) this.#known.delete(name);
    else this.put(info);
    return info;
  }

  #refresh(name: string): void {
    if (this.#reading.has(name)) return;
    this.read(name).catch((error: unknown) => {
      // Not before another `refresh` has passed: with Redis away, every message would ask.
      const known = this.#known.get(name);
      if (known !== undefined) {
        this.#known.set(name, { info: known.info, readAt: this.#options.timers.monotonic() });
      }
      this.#options.logger.warn({ topic: name, error }, `topic '${name}' could not be looked at again`);
    });
  }
}
