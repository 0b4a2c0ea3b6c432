import type { Checkpoint, CheckpointStorage } from '@rs/core';

/**
 * A process that dies at one of its steps: that one does not happen, nor does anything later. What a dying run still does to
 * end itself has no effect either, as with a process that is killed.
 */
export class Life {
  #steps = 0;
  #dead = false;
  readonly #lastStep: number;

  /** @param lastStep after how many steps it dies */
  constructor(lastStep = Infinity) {
    this.#lastStep = lastStep;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** To be called before and after everything that has an effect outside of the process. */
  readonly step = (): void => {
    this.#dead ||= ++this.#steps > this.#lastStep;
    if (this.#dead) throw new Error('the process is dead');
  };

  /** A storage as this process sees it. */
  storage(storage: CheckpointStorage): CheckpointStorage {
    const does = async <R>(effect: () => Promise<R>): Promise<R> => {
      this.step();
      const result = await effect();
      this.step();
      return result;
    };
    return {
      storeCheckpoint: (checkpoint: Checkpoint) => does(() => storage.storeCheckpoint(checkpoint)),
      loadCheckpoint: (id) => does(() => storage.loadCheckpoint(id)),
      getLatestCheckpoint: () => does(() => storage.getLatestCheckpoint()),
      listCheckpoints: (limit) => does(() => storage.listCheckpoints(limit)),
      deleteCheckpoint: (id) => does(() => storage.deleteCheckpoint(id)),
      cleanupOldCheckpoints: (keep) => does(() => storage.cleanupOldCheckpoints(keep)),
      close: () => does(() => storage.close()),
    };
  }
}
