import type { Timers } from '@rs/mq';

/** Where a task is in its input. */
export interface MirroredPosition {
  readonly offset: string;
  /** Items that are settled. */
  readonly count: number;
  readonly ended: boolean;
}

export interface TaskMirrorOptions {
  readonly timers: Timers;
  /** Milliseconds that the group may be behind. */
  readonly delay: number;
  /** Moves the group; gives the entries behind the position, where they are known. */
  readonly move: (position: MirroredPosition) => Promise<number | undefined>;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Moves the consumer group of a task after its commits, so that tools which know groups see how far it is. It decides nothing: a
 * move that fails is told, and the next one makes up for it.
 */
export class TaskMirror {
  readonly #options: TaskMirrorOptions;
  #position: MirroredPosition | undefined;
  #moved: MirroredPosition | undefined;
  #cancel: (() => void) | undefined;
  #moving: Promise<void> | undefined;
  #lag: number | undefined;
  #closed = false;

  constructor(options: TaskMirrorOptions) {
    this.#options = options;
  }

  /** Entries of the log behind the task, as of the last move. */
  get lag(): number | undefined {
    return this.#lag;
  }

  committed({ offset, count, ended }: MirroredPosition): void {
    if (offset === this.#position?.offset) return;
    this.#position = { offset, count, ended };
    this.#schedule();
  }

  /** Moves it a last time. Never rejected. */
  async close(): Promise<void> {
    this.stop();
    await this.#moving;
    if (this.#moved !== this.#position) await this.#move();
  }

  /** Moves it no more: it is somebody else's. */
  stop(): void {
    this.#closed = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    if (this.#closed || this.#cancel !== undefined || this.#moved === this.#position) return;
    this.#cancel = this.#options.timers.after(this.#options.delay, () => {
      this.#moving = this.#move().then(() => {
        this.#cancel = undefined;
        this.#moving = undefined;
        this.#schedule();
      });
    });
  }

  async #move(): Promise<void> {
    const position = this.#position;
    if (position === undefined) return;
    try {
      this.#lag = await this.#options.move(position);
      this.#moved = position;
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}
