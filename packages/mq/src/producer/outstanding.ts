/** What entered between two calls of `settled`. */
export class Round {
  readonly done: Promise<void>;
  #count = 0;
  #closed = false;
  #resolve: () => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    this.#look();
  }

  /** Nothing enters any more. */
  close(): void {
    this.#closed = true;
    this.#look();
  }

  #look(): void {
    if (this.#closed && this.#count === 0) this.#resolve();
  }
}

/** Counts what is under way, so that one can wait for what there is now, whatever comes after it. */
export class Outstanding {
  readonly #waited = new Set<Round>();
  #current = new Round();

  /** Where what comes now belongs. */
  get round(): Round {
    return this.#current;
  }

  /** Fulfilled when everything that has entered so far has left. */
  async settled(): Promise<void> {
    const round = this.#current;
    this.#current = new Round();
    this.#waited.add(round);
    round.close();
    await Promise.all([...this.#waited].map(({ done }) => done));
    this.#waited.delete(round);
  }
}
