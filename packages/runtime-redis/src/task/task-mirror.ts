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
  /** Milliseconds after which it is looked at again although the task has not moved. */
  readonly refresh: number;
  /** Moves the group; gives the entries behind the position, where they are known. */
  readonly move: (position: MirroredPosition) => Promise<number | undefined>;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Moves the consumer group of a task after its commits, so that tools which know groups see how far it is; also while nothing is
 * committed, since that is when somebody looks: the lag grows, and a group that somebody has removed comes back. It decides nothing:
 * a move that fails is told, and the next one makes up for it.
 */
export class TaskMirror {
  readonly #options: TaskMirrorOptions;
  #position: MirroredPosition;
  #moved: MirroredPosition | undefined;
  /** What is planned, and whether it can wait. */
  #planned: { readonly cancel: () => void; readonly refresh: boolean } | undefined;
  #moving: Promise<void> | undefined;
  #lag: number | undefined;
  #closed = false;

  constructor(options: TaskMirrorOptions, position: MirroredPosition) {
    this.#options = options;
    this.#position = position;
  }

  /** Entries of the log behind the task, as of the last move. */
  get lag(): number | undefined {
    return this.#lag;
  }

  /** Moves the group for the first time, before the call returns, and from then on when it is worth it. */
  start(): void {
    this.#begin();
  }

  committed({ offset, count, ended }: MirroredPosition): void {
    if (offset === this.#position.offset) return;
    this.#position = { offset, count, ended };
    if (this.#moving === undefined && this.#planned?.refresh !== false)
      this.#plan(this.#options.delay, false);
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
    this.#planned?.cancel();
    this.#planned = undefined;
  }

  #plan(delay: number, refresh: boolean): void {
    if (this.#closed) return;
    this.#planned?.cancel();
    const cancel = this.#options.timers.after(delay, () => {
      this.#planned = undefined;
      this.#begin();
    });
    this.#planned = { cancel, refresh };
  }

  #begin(): void {
    this.#moving = this.#move().then(() => {
      this.#moving = undefined;
      const { delay: soon, refresh: later } = this.#options;
      if (this.#moved === this.#position) this.#plan(later, true);
      else this.#plan(soon, false);
    });
  }

  async #move(): Promise<void> {
    const position = this.#position;
    try {
      this.#lag = await this.#options.move(position);
      this.#moved = position;
    } catch (error) {
      this.#options.onTrouble(error);
    }
  }
}
