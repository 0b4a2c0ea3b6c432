import type { RsError } from '@rs/core';
import { Fifo } from '../consumer/dispatch/fifo.ts';
import type { PartitionSpread } from './partition-spread.ts';
import type { Submission } from './submission.ts';

export interface AdmissionLimits {
  readonly maxPending: number;
  readonly maxPendingBytes: number;
}

/** Lets calls in, in order, message by message as far as there is room; the others wait. Nobody overtakes. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #waiting = new Fifo<{ readonly spread: PartitionSpread; readonly submission: Submission }>();
  #messages = 0;
  #bytes = 0;
  #admitting = false;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  enter(spread: PartitionSpread, submission: Submission): void {
    if (this.#waiting.size > 0 || !this.#admit(spread, submission)) this.#waiting.add({ spread, submission });
  }

  /** These are no longer pending. */
  release(messages: number, bytes: number): void {
    this.#messages -= messages;
    this.#bytes -= bytes;
    this.#next();
  }

  /** Takes out what is not admitted, and says whether there was something. */
  withdraw(submission: Submission): boolean {
    if (submission.admitted === submission.entries.length) return false;
    submission.admitted = submission.entries.length;
    // Others may have waited behind it.
    this.#next();
    return true;
  }

  /** Rejects what waits. */
  abandon(error: RsError): void {
    for (let first = this.#waiting.take(); first !== undefined; first = this.#waiting.take()) {
      const { submission } = first;
      while (submission.admitted < submission.entries.length) submission.failed(submission.admitted++, error);
    }
  }

  /** Goes on with those who wait. */
  #next(): void {
    // Putting a message into a queue may release others; those are seen by this loop.
    if (this.#admitting) return;
    this.#admitting = true;
    for (let first = this.#waiting.first(); first !== undefined; first = this.#waiting.first()) {
      if (!this.#admit(first.spread, first.submission)) break;
      this.#waiting.take();
    }
    this.#admitting = false;
  }

  /** @returns whether there was room for all */
  #admit(spread: PartitionSpread, submission: Submission): boolean {
    const { entries } = submission;
    while (submission.admitted < entries.length) {
      const index = submission.admitted;
      const bytes = entries[index]?.bytes ?? 0;
      if (!this.#hasRoom(bytes)) return false;
      this.#messages++;
      this.#bytes += bytes;
      submission.admitted++;
      spread.append(submission, index);
    }
    return true;
  }

  #hasRoom(bytes: number): boolean {
    const { maxPending, maxPendingBytes } = this.#limits;
    return this.#messages < maxPending && (this.#messages === 0 || this.#bytes + bytes <= maxPendingBytes);
  }
}
