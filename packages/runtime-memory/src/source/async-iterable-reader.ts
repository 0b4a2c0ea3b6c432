import { type AnyReceiver, asRsError, type PumpResult, type SourceReader, type Task } from '@rs/runtime';

/** Reads an async iterable, one record ahead of the pipeline, with the timestamps 0, 1, 2, … */
export class AsyncIterableReader implements SourceReader {
  readonly name: string;
  readonly #iterable: AsyncIterable<unknown>;
  #iterator: AsyncIterator<unknown> | undefined;
  #step: IteratorResult<unknown> | undefined;
  #next = 0;

  constructor(name: string, iterable: AsyncIterable<unknown>) {
    this.name = name;
    this.#iterable = iterable;
  }

  pump(out: AnyReceiver, task: Task): PumpResult {
    const step = this.#step;
    this.#step = undefined;
    if (step?.done === true) {
      this.#iterator = undefined;
      return 'ended';
    }
    if (step !== undefined) out.record(step.value, this.#next++, undefined);
    return task.stopped ? 'more' : this.#read();
  }

  async close(): Promise<void> {
    await this.#iterator?.return?.();
  }

  async #read(): Promise<void> {
    try {
      this.#iterator ??= this.#iterable[Symbol.asyncIterator]();
      this.#step = await this.#iterator.next();
    } catch (error) {
      throw asRsError('RS_SOURCE_FAILED', this.name, error);
    }
  }
}
