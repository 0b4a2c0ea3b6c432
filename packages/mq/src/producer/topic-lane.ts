import { RsError } from '@rs/core';
import { Fifo } from '../consumer/dispatch/fifo.ts';
import type { TopicDirectory } from '../topics/topic-directory.ts';
import type { TopicInfo } from '../topics/topic-info.ts';
import { closedProducer } from './delivery-error.ts';
import { PartitionSpread, type SpreadContext } from './partition-spread.ts';
import type { Submission } from './submission.ts';

export interface LaneContext extends SpreadContext {
  readonly directory: Pick<TopicDirectory, 'peek' | 'get'>;
  /** Takes what is checked, in order, as soon as there is room for it. */
  readonly admit: (spread: PartitionSpread, submission: Submission) => void;
}

interface Preparing {
  readonly submission: Submission;
  checked: boolean;
}

/**
 * A topic as one producer sends to it: finds out what the topic has, and keeps calls in order while that or a schema
 * takes its time.
 */
export class TopicLane {
  /** How errors begin. */
  readonly where: string;
  readonly #name: string;
  readonly #context: LaneContext;
  /** Calls that wait for the topic or for a schema, and those behind them. */
  readonly #preparing = new Fifo<Preparing>();
  /** The last one counts; a topic that was created anew with other shards leaves one behind. */
  readonly #spreads: PartitionSpread[] = [];
  #loading = false;

  constructor(name: string, context: LaneContext) {
    this.#name = name;
    this.where = `send to topic '${name}'`;
    this.#context = context;
  }

  /** @param checking until then a schema has not answered; its rejection refuses the call */
  submit(submission: Submission, checking: PromiseLike<unknown> | undefined): void {
    const spread = this.#current();
    if (spread !== undefined && checking === undefined && this.#preparing.size === 0) {
      this.#enter(spread, submission);
      return;
    }
    const preparing: Preparing = { submission, checked: checking === undefined };
    this.#preparing.add(preparing);
    checking?.then(
      () => {
        preparing.checked = true;
        this.#drain();
      },
      (error: unknown) => {
        submission.refused(error);
        this.#drain();
      },
    );
    this.#drain();
  }

  flush(): void {
    for (const spread of this.#spreads) spread.flush();
  }

  /** Takes a call out of the queues of partitions. What is under way stays. */
  withdraw(submission: Submission): boolean {
    let some = false;
    for (const spread of this.#spreads) if (spread.withdraw(submission)) some = true;
    return some;
  }

  /** Rejects what is not under way. */
  abandon(): void {
    this.#refuse(closedProducer(this.where));
    for (const spread of this.#spreads) spread.abandon();
  }

  /** `undefined` while nothing is known of the topic. What is known is looked at again when it is old. */
  #current(): PartitionSpread | undefined {
    const info = this.#context.directory.peek(this.#name);
    return info === undefined ? undefined : this.#spreadOf(info);
  }

  #drain(): void {
    for (let first = this.#preparing.first(); first !== undefined; first = this.#preparing.first()) {
      if (!first.submission.ended) {
        const spread = this.#current();
        if (spread === undefined) {
          this.#load();
          return;
        }
        if (!first.checked) return;
        this.#enter(spread, first.submission);
      }
      this.#preparing.take();
    }
  }

  #enter(spread: PartitionSpread, submission: Submission): void {
    const wrong = submission.entries.find(({ partition = 0 }) => partition >= spread.partitions);
    if (wrong === undefined) {
      this.#context.admit(spread, submission);
      return;
    }
    submission.refused(
      new RsError(
        'RS_INVALID_ARGUMENT',
        `${this.where}: the topic's partitions are 0 to ${spread.partitions - 1}, got ${wrong.partition}; when it was grown elsewhere, this process learns it within topicRefresh`,
        { details: { topic: this.#name, received: wrong.partition } },
      ),
    );
  }

  #load(): void {
    if (this.#loading) return;
    this.#loading = true;
    this.#context.directory.get(this.#name).then(
      () => {
        this.#loading = false;
        this.#drain();
      },
      (error: unknown) => {
        this.#loading = false;
        this.#refuse(error);
      },
    );
  }

  #spreadOf(info: TopicInfo): PartitionSpread {
    let spread = this.#spreads.at(-1);
    if (spread?.shards === info.shards) {
      spread.update(info);
    } else {
      spread = new PartitionSpread(info, this.#context);
      this.#spreads.push(spread);
    }
    return spread;
  }

  #refuse(error: unknown): void {
    for (let next = this.#preparing.take(); next !== undefined; next = this.#preparing.take()) {
      next.submission.refused(error);
    }
  }
}
