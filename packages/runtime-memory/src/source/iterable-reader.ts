import { type AnyReceiver, failureOf, type PumpResult, type SourceReader, type Task } from '@rs/runtime';
import { checkedStep, type ReadOnce } from './read-once.ts';

/** Reads an iterable, with the timestamps 0, 1, 2, … */
export class IterableReader implements SourceReader {
  readonly name: string;
  readonly #iterable: Iterable<unknown>;
  readonly #readOnce: ReadOnce;
  #iterator: Iterator<unknown> | undefined;
  #next = 0;

  constructor(name: string, iterable: Iterable<unknown>, readOnce: ReadOnce) {
    this.name = name;
    this.#iterable = iterable;
    this.#readOnce = readOnce;
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
