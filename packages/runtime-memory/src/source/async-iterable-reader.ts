import { type AnyReceiver, failureOf, type PumpResult, type SourceReader, type Task } from '@rs/runtime';
import { checkedStep, isStream, type ReadOnce } from './read-once.ts';
import { tooShort } from './too-short.ts';

/** Reads an async iterable, one record ahead of the pipeline, with the timestamps 0, 1, 2, … */
export class AsyncIterableReader implements SourceReader {
  readonly name: string;
  readonly #iterable: AsyncIterable<unknown>;
  readonly #readOnce: ReadOnce;
  #iterator: AsyncIterator<unknown> | undefined;
  #step: IteratorResult<unknown> | undefined;
  #reading = false;
  #next = 0;
  /** Records before it are read and dropped. */
  #first = 0;

  constructor(name: string, iterable: AsyncIterable<unknown>, readOnce: ReadOnce) {
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

  pump(out: AnyReceiver, task: Task): PumpResult {
    const step = this.#step;
    this.#step = undefined;
    if (step?.done === true) {
      this.#iterator = undefined;
      if (this.#next < this.#first) throw tooShort(this.name, this.#first, this.#next);
      return 'ended';
    }
    if (step !== undefined) this.#take(out, step.value);
    return task.stopped ? 'more' : this.#read();
  }

  #take(out: AnyReceiver, value: unknown): void {
    const index = this.#next++;
    if (index >= this.#first) out.record(value, index, undefined);
  }

  cancel(): void {
    // A stream without data never settles the read that is pending, and its return() would wait for that.
    if (this.#reading && isStream(this.#iterable)) this.#iterable.destroy();
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      this.#iterator ??= this.#begin();
      this.#step = checkedStep(await this.#iterator.next(), this.name);
    } catch (error) {
      this.#iterator = undefined; // An iterator that throws is done.
      throw failureOf('RS_SOURCE_FAILED', this.name, error);
    } finally {
      this.#reading = false;
    }
  }

  #begin(): AsyncIterator<unknown> {
    const iterator = this.#iterable[Symbol.asyncIterator]();
    this.#readOnce.begin(this.#iterable, iterator, this.name);
    return iterator;
  }
}
