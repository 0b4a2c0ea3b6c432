import { RsError } from '@rs/core';
import type { CommitBatch, CommitReply, StateBackend, TaskSnapshot } from './backend.ts';
import type { Facts } from './plan-state.ts';

/** A batch that the backend has, and has not answered yet. */
interface UnderWay {
  /** Resolves with the answer, and when nobody waits for it any more; what it was stands elsewhere. */
  readonly over: Promise<void>;
  readonly giveUp: () => void;
}

/**
 * The commits of one task. At most one is on its way; the driver may go on meanwhile, as if it was applied already.
 *
 * Invariant: nothing follows a commit that was rejected or got no answer, since nobody knows then what the backend holds.
 */
export class Commits {
  readonly #backend: StateBackend;
  readonly #onLost: () => void;
  #seq = 0;
  #offset = 0;
  #facts: Facts = {};
  #underWay: UnderWay | undefined;
  #loss: { readonly error: unknown } | undefined;
  #closed = false;

  /** @param onLost called once when a commit was rejected or got no answer */
  constructor(backend: StateBackend, onLost: () => void) {
    this.#backend = backend;
    this.#onLost = onLost;
  }

  /** Number of the last commit that was handed over. */
  get seq(): number {
    return this.#seq;
  }

  /** Items that are settled once everything that was handed over is applied. */
  get offset(): number {
    return this.#offset;
  }

  /** The operators' facts as of the last commit that was handed over. */
  get facts(): Facts {
    return this.#facts;
  }

  get closed(): boolean {
    return this.#closed;
  }

  resume({ seq, offset }: Pick<TaskSnapshot, 'seq' | 'offset'>): void {
    this.#seq = seq;
    this.#offset = offset;
  }

  /** What operators know of themselves before the first batch. */
  begin(facts: Facts): void {
    this.#facts = facts;
  }

  /** Gives a batch to the backend, without waiting for the answer. The one before must have been {@link answered}. */
  handOver(batch: CommitBatch): void {
    this.#seq = batch.seq;
    this.#offset = batch.offset;
    this.#facts = batch.operators;
    let giveUp: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      giveUp = resolve;
    });
    const underWay = { over, giveUp };
    this.#underWay = underWay;
    void this.#answer(batch.seq, this.#send(batch)).then((loss) => {
      if (this.#underWay !== underWay) return; // Closed meanwhile: nobody wants to know.
      this.#underWay = undefined;
      if (loss !== undefined) this.#lose(loss.error);
      giveUp();
    });
  }

  /** Resolves when nothing is on its way, whatever the answer was. */
  async settled(): Promise<void> {
    await this.#underWay?.over;
  }

  /**
   * Resolves when everything that was handed over is applied.
   *
   * @throws RsError as {@link assertOpen}
   */
  async answered(): Promise<void> {
    await this.settled();
    this.assertOpen();
  }

  /** @throws RsError why the task was lost, to the first who asks; `RS_CLOSED` afterwards, and when it was just closed */
  assertOpen(): void {
    if (!this.#closed) return;
    const loss = this.#loss;
    this.#loss = undefined;
    if (loss !== undefined) throw loss.error;
    throw new RsError('RS_CLOSED', 'this driver has lost its task; open a new one');
  }

  /** An answer that is still to come has no effect. */
  close(): void {
    this.#closed = true;
    const underWay = this.#underWay;
    this.#underWay = undefined;
    underWay?.giveUp();
  }

  async #send(batch: CommitBatch): Promise<CommitReply> {
    return this.#backend.commit(batch);
  }

  /** Must not hold the batch, which is large and of no use any more. */
  async #answer(seq: number, answer: Promise<CommitReply>): Promise<{ readonly error: unknown } | undefined> {
    try {
      const reply = await answer;
      if (reply === 'OK' || reply === 'DUP') return undefined;
      const error = new RsError(
        'RS_COMMIT_REJECTED',
        `the commit was rejected (${reply}): the task has another owner or was moved; open it anew`,
        { details: { reply, seq } },
      );
      return { error };
    } catch (error) {
      return { error };
    }
  }

  #lose(error: unknown): void {
    this.#loss = { error };
    this.#onLost();
  }
}
