import type { Submission } from './submission.ts';

/** Messages of one partition that are written together. Its fields are in the form in which they are sent. */
export class PartitionBatch {
  /** `m`, `k`, `h` and `d` of each message. */
  fields: (string | Buffer)[] = [];
  bytes = 0;
  /** It waits for nothing but its turn. */
  ready: boolean;
  /** Stops its lingering. */
  release: (() => void) | undefined;
  /** In the time of `Timers.monotonic`. */
  readonly deadline: number;
  #submissions: Submission[] = [];
  #indexes: number[] = [];

  constructor(ready: boolean, deadline: number) {
    this.ready = ready;
    this.deadline = deadline;
  }

  get size(): number {
    return this.#submissions.length;
  }

  add(submission: Submission, index: number): void {
    const entry = submission.entries[index];
    if (entry === undefined) return;
    this.fields.push(entry.m, entry.k, entry.h, entry.d);
    this.#submissions.push(submission);
    this.#indexes.push(index);
    this.bytes += entry.bytes;
  }

  /** Takes out what belongs to a submission. Only before it was sent. */
  withdraw(submission: Submission): void {
    if (!this.#submissions.includes(submission)) return;
    const submissions = this.#submissions;
    const indexes = this.#indexes;
    this.fields = [];
    this.bytes = 0;
    this.#submissions = [];
    this.#indexes = [];
    submissions.forEach((owner, at) => {
      if (owner !== submission) this.add(owner, indexes[at] ?? 0);
    });
  }

  /** @param seq of the first message; the others follow on it */
  written(partition: number, ms: string, seq: string): void {
    const first = Number(seq);
    const exact = Number.isSafeInteger(first + this.size);
    this.#submissions.forEach((submission, at) => {
      const own = exact ? first + at : BigInt(seq) + BigInt(at);
      submission.written(this.#indexes[at] ?? 0, { partition, id: `${ms}-${own}` });
    });
  }

  failed(error: unknown): void {
    this.#submissions.forEach((submission, at) => submission.failed(this.#indexes[at] ?? 0, error));
  }
}
