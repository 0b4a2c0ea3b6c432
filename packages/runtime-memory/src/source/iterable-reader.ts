import { type AnyReceiver, asRsError, type PumpResult, type SourceReader, type Task } from '@rs/runtime';

/** Reads an iterable, with the timestamps 0, 1, 2, … */
export class IterableReader implements SourceReader {
  readonly name: string;
  readonly #iterable: Iterable<unknown>;
  #iterator: Iterator<unknown> | undefined;
  #next = 0;

  constructor(name: string, iterable: Iterable<unknown>) {
    this.name = name;
    this.#iterable = iterable;
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    for (let sent = 0; sent < limit && !task.attention; sent++) {
      const step = this.#read();
      if (step.done === true) {
        this.#iterator = undefined;
        return 'ended';
      }
      out.record(step.value, this.#next++, undefined);
    }
    return 'more';
  }

  close(): void {
    this.#iterator?.return?.();
  }

  #read(): IteratorResult<unknown> {
    try {
      this.#iterator ??= this.#iterable[Symbol.iterator]();
      return this.#iterator.next();
    } catch (error) {
      throw asRsError('RS_SOURCE_FAILED', this.name, error);
    }
  }
}
