import type { TwoPhaseCommitSink } from '@rs/core';

interface Booking {
  readonly entries: unknown[];
  prepared: boolean;
}

/**
 * A system outside of the process, with transactions: it outlives the processes that write to it. What the sinks call is
 * counted, so that a test can let a process die at any call.
 */
export class Ledger {
  /** What everybody can see. */
  readonly committed: unknown[] = [];
  /** Every call, as `name transaction`. */
  readonly calls: string[] = [];
  readonly #open = new Map<number, Booking>();
  #next = 1;

  /** A sink of one process. @param step called before and after each effect; one that throws there is dead from then on */
  sink(
    step: (call: string) => void = () => undefined,
  ): TwoPhaseCommitSink<unknown, { readonly txn: number }> {
    const does = <R>(call: string, effect: () => R): R => {
      step(call);
      this.calls.push(call);
      const result = effect();
      step(call);
      return result;
    };
    return {
      beginTxn: () =>
        does('begin', () => {
          const txn = this.#next++;
          this.#open.set(txn, { entries: [], prepared: false });
          return { txn };
        }),
      invoke: (value, { txn }) => does(`write ${txn}`, () => void this.#booking(txn).entries.push(value)),
      preCommit: ({ txn }) =>
        does(`prepare ${txn}`, () => {
          this.#booking(txn).prepared = true;
        }),
      commit: ({ txn }) => does(`commit ${txn}`, () => this.#commit(txn)),
      recoverAndCommit: ({ txn }) => does(`recover ${txn}`, () => this.#commit(txn)),
      recoverAndAbort: ({ txn }) => does(`abort ${txn}`, () => void this.#open.delete(txn)),
    };
  }

  /** Transactions that are neither committed nor aborted. */
  get open(): number {
    return this.#open.size;
  }

  /** A transaction that is gone was committed before. */
  #commit(txn: number): void {
    const booking = this.#open.get(txn);
    if (booking === undefined) return;
    if (!booking.prepared) throw new Error(`transaction ${txn} is not prepared`);
    this.committed.push(...booking.entries);
    this.#open.delete(txn);
  }

  #booking(txn: number): Booking {
    const booking = this.#open.get(txn);
    if (booking === undefined) throw new Error(`there is no transaction ${txn}`);
    return booking;
  }
}
