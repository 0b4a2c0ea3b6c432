/** Deals partitions out to as many lines as may be worked on at the same moment: p modulo n. Those of one line take turns. */
export class Turns {
  readonly #lines: number;
  /** What the last one of each line in use waits for to have its end. */
  readonly #last = new Map<number, Promise<void>>();

  /** @param lines `Infinity`: nobody waits for anybody */
  constructor(lines: number) {
    this.#lines = lines;
  }

  /** Waits for the turn of a partition; what it gives ends it. Turns of a line come in the order in which they were asked for. */
  async take(partition: number): Promise<() => void> {
    if (this.#lines === Infinity) return nothing;
    const line = partition % this.#lines;
    const before = this.#last.get(line);
    let end = nothing;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(line, over);
    await before;
    return () => {
      if (this.#last.get(line) === over) this.#last.delete(line);
      end();
    };
  }
}

const nothing = (): void => undefined;
