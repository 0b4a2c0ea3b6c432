import type { Timers } from '../../time/timers.ts';
import type { DispatchQueue } from '../dispatch/dispatch-queue.ts';
import type { QueueEntry } from '../dispatch/queue-entry.ts';

/** Lets parked entries start again when they are due: one timer, for the next of them. */
export class ParkedTimer {
  readonly #queue: Pick<DispatchQueue<QueueEntry>, 'nextDue' | 'unparkDue'>;
  readonly #timers: Timers;
  readonly #onDue: () => void;
  #cancel: (() => void) | undefined;

  constructor(
    queue: Pick<DispatchQueue<QueueEntry>, 'nextDue' | 'unparkDue'>,
    timers: Timers,
    onDue: () => void,
  ) {
    this.#queue = queue;
    this.#timers = timers;
    this.#onDue = onDue;
  }

  /** To be called when what is parked may have changed. */
  arm(): void {
    this.stop();
    const due = this.#queue.nextDue;
    if (due === undefined) return;
    this.#cancel = this.#timers.after(due - this.#timers.monotonic(), () => {
      this.#queue.unparkDue(this.#timers.monotonic());
      this.#onDue();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
