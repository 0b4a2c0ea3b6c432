import { isRsError } from '@rs/core';
import type { Timers } from '@rs/mq';

/** A topic that has more partitions than the job reads. */
export interface GrownTopic {
  readonly topic: string;
  /** Partitions that the job reads. */
  readonly read: number;
  readonly partitions: number;
  /** What that means for the job, and what to do. */
  readonly advice: string;
}

export interface WatchedTopic {
  readonly topic: string;
  /** Partitions that the job reads. */
  readonly partitions: number;
  /** True when state is kept by the key of its records. */
  readonly keyed: boolean;
}

export interface GrownTopicsOptions {
  readonly topics: readonly WatchedTopic[];
  /** Partitions that a topic has; `undefined` for one that is gone. */
  readonly partitionsOf: (topic: string) => Promise<number | undefined>;
  readonly timers: Timers;
  /** Milliseconds between two looks. */
  readonly every: number;
  readonly onGrown: (grown: GrownTopic) => void;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Finds out that topics which a job reads have got more partitions: which ones there are is decided when the job starts, so nobody reads the
 * new ones.
 *
 * Invariant: it looks until `stop`; an error is told, and the next look comes all the same.
 */
export class GrownTopics {
  readonly #options: GrownTopicsOptions;
  readonly #grown = new Map<WatchedTopic, GrownTopic>();
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: GrownTopicsOptions) {
    this.#options = options;
  }

  get grown(): readonly GrownTopic[] {
    return [...this.#grown.values()];
  }

  start(): void {
    if (this.#stopped || this.#options.topics.length === 0) return;
    this.#cancel = this.#options.timers.after(
      this.#options.every,
      () => void this.#look().then(() => this.start()),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** Never rejected. */
  async #look(): Promise<void> {
    const { topics, onTrouble } = this.#options;
    try {
      await Promise.all(topics.map((topic) => this.#lookAt(topic)));
    } catch (error) {
      if (!this.#stopped && !isRsError(error, 'RS_CLOSED')) onTrouble(error);
    }
  }

  async #lookAt(watched: WatchedTopic): Promise<void> {
    const { topic, partitions: read, keyed } = watched;
    const partitions = (await this.#options.partitionsOf(topic)) ?? read;
    if (this.#stopped || partitions <= read || this.#grown.get(watched)?.partitions === partitions) return;
    const grown = { topic, read, partitions, advice: keyed ? KEYED : KEYLESS };
    this.#grown.set(watched, grown);
    this.#options.onGrown(grown);
  }
}

const KEYED =
  'most keys are in other partitions now, where their state is not, so this job cannot read them: start it as another job, with another ' +
  'jobName and groups of its own, which reads the topic from its beginning';
const KEYLESS = 'stop all processes of the job, and start them again: then it reads them';

/** One sentence. */
export function grownText({ topic, read, partitions, advice }: GrownTopic): string {
  return `topic '${topic}' has got more partitions, ${partitions} instead of ${read}, and nobody reads the new ones: ${advice}`;
}
