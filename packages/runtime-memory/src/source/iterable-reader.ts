import { type AnyReceiver, failureOf, type PumpResult, type SourceReader, type Task } from '@rs/runtime';
import { checkedStep, type ReadOnce } from './read-once.ts';
import { tooShort } from './too-short.ts';

/** Reads an iterable, with the timestamps 0, 1, 2, … */
export class IterableReader implements SourceReader {
  readonly name: string;
  readonly #iterable: Iterable<unknown>;
  readonly #readOnce: ReadOnce;
  #iterator: Iterator<unknown> | undefined;
  #next = 0;
  /** Records before it are read and dropped. */
  #first = 0;

  constructor(name: string, iterable: Iterable<unknown>, readOnce: ReadOnce) {
    this.name = name;
    this.#iterable = iterable;
    this.#readOnce = readOnce;
  }

  position(): number {
    return Math.max(this.#first, this.#next);
  }

  seek(position: number): void {
    this.#first = position;
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    for (let sent = 0; sent < limit && !task.attention; sent++) {
      const step = this.#read();
      if (step.done === true) {
        this.#iterator = undefined;
        if (this.#next < this.#first) throw tooShort(this.name, this.#first, this.#next);
        return 'ended';
      }
      const index = this.#next++;
      if (index >= this.#first) out.record(step.value, index, undefined);
    }
    return 'more';
  }

  close(): void {
    this.#iterator?.return?.();
  }

  #read(): IteratorResult<unknown> {
    try {
      this.#iterator ??= this.#begin();
      return checkedStep(this.#iterator.next(), this.name);
    } catch (error) {
      this.#iterator = undefined; // An iterator that throws is done.
      throw failureOf('RS_SOURCE_FAILED', this.name, error);
    }
  }

  #begin(): Iterator<unknown> {
    const iterator = this.#iterable[Symbol.iterator]();
    this.#readOnce.begin(this.#iterable, iterator, this.name);
    return iterator;
  }
}
