import { jsonCodec, type MaybePromise, type TwoPhaseCommitSink } from '@rs/core';
import { failureOf } from '../failure.ts';
import { isPromise, silence } from '../promise.ts';
import type { SinkCalls } from './sink-calls.ts';
import { type Steps, tryAll } from './steps.ts';

interface Prepared<Txn> {
  readonly txn: Txn;
  /** True once its handle may be where another run would find it. */
  held: boolean;
}

const HANDLES = jsonCodec<unknown>();

/**
 * The transactions of one sink in one run: the open one, which takes records, and those that are prepared and wait for their
 * checkpoint.
 *
 * Invariant: records are in the open transaction, in a prepared one or committed. A prepared one is aborted only when no
 * checkpoint that could be restored holds it: one that it is unknown of counts as one that does.
 */
export class Transactions<Txn> {
  readonly #sink: TwoPhaseCommitSink<never, Txn>;
  readonly #calls: SinkCalls;
  #open: { readonly txn: Txn } | undefined;
  #prepared: Prepared<Txn>[] = [];
  /** What the sink is doing for a record. */
  #busy: PromiseLike<unknown> | undefined;

  constructor(sink: TwoPhaseCommitSink<never, Txn>, calls: SinkCalls) {
    this.#sink = sink;
    this.#calls = calls;
  }

  /** The transaction that takes records, if one was begun. */
  get open(): { readonly txn: Txn } | undefined {
    return this.#open;
  }

  /** Begins a transaction. */
  begin(): MaybePromise<Txn> {
    const begun = this.#sink.beginTxn();
    if (!isPromise(begun)) return this.#begun(begun);
    const opened = this.#opened(begun);
    this.track(opened);
    return opened;
  }

  /** The sink is busy with a record until the promise is settled. */
  track(call: PromiseLike<unknown>): void {
    this.#busy = call;
    silence(call);
  }

  /** Makes what the open transaction holds recoverable. */
  *prepare(): Steps {
    if (this.#open === undefined) return;
    const { txn } = this.#open;
    yield* this.#calls.call('preCommit', () => this.#sink.preCommit(txn));
    this.#open = undefined;
    this.#prepared.push({ txn, held: false });
  }

  /** What a checkpoint must hold to commit the prepared ones later. @throws RsError `RS_INVALID_VALUE` */
  handles(): string[] {
    return this.#prepared.map(({ txn }) => {
      try {
        return HANDLES.encode(txn) as string;
      } catch (error) {
        throw failureOf('RS_INVALID_VALUE', `the handle of a transaction of ${this.#calls.sink}`, error);
      }
    });
  }

  /** A checkpoint that holds the prepared ones is stored, or may be: from now on none of them is aborted. */
  hold(): void {
    for (const one of this.#prepared) one.held = true;
  }

  /** Commits the prepared ones. What cannot be committed is tried again the next time. */
  *commit(): Steps {
    yield* tryAll(this.#prepared, (one) => this.#commit(one));
  }

  /** Commits what a checkpoint holds. */
  *recover(handles: readonly string[]): Steps {
    for (const handle of handles) {
      const txn = HANDLES.decode(handle) as Txn;
      yield* this.#calls.call('recoverAndCommit', () => this.#sink.recoverAndCommit(txn));
    }
  }

  /** The run is over and nothing more will be committed: gives up what no checkpoint holds. */
  *abort(): Steps {
    try {
      yield this.#busy;
    } catch {
      // It is what the run has failed with, or came too late to matter.
    }
    const lost = this.#prepared.filter(({ held }) => !held).map(({ txn }) => txn);
    if (this.#open !== undefined) lost.push(this.#open.txn);
    this.#open = undefined;
    this.#prepared = this.#prepared.filter(({ held }) => held);
    yield* tryAll(lost, (txn) =>
      this.#calls.call('abort', () =>
        this.#sink.abort === undefined ? this.#sink.recoverAndAbort(txn) : this.#sink.abort(txn),
      ),
    );
  }

  *#commit(one: Prepared<Txn>): Steps {
    yield* this.#calls.call('commit', () => this.#sink.commit(one.txn));
    this.#prepared = this.#prepared.filter((other) => other !== one);
  }

  #begun(txn: Txn): Txn {
    this.#open = { txn };
    return txn;
  }

  async #opened(begun: PromiseLike<Txn>): Promise<Txn> {
    return this.#begun(await begun);
  }
}
