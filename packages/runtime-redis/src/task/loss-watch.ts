import type { LostMessages } from '../store/lost-messages.ts';
import type { Mirrored } from '../store/task-store.ts';

/** Tells of what the log has lost. A loss is found until the store knows that it was told: when that fails, the next owner tells it again. */
export class LossWatch {
  readonly #onLost: (lost: LostMessages) => void;
  #told = '';

  constructor(onLost: (lost: LostMessages) => void) {
    this.#onLost = onLost;
  }

  /**
   * @param look looks for losses, but for the one that was told
   * @returns the lag
   */
  async move(look: (told: string) => Promise<Mirrored>): Promise<number | undefined> {
    for (;;) {
      const { lag, loss } = await look(this.#told);
      if (loss === undefined || loss.id === this.#told) return lag;
      this.#told = loss.id;
      this.#onLost(loss.lost);
    }
  }
}
