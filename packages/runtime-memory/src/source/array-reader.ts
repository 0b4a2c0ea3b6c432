import type { AnyReceiver, PumpResult, SourceReader, Task } from '@rs/runtime';
import { tooShort } from './too-short.ts';

/** Reads an array, with its indexes as timestamps. */
export class ArrayReader implements SourceReader {
  readonly name: string;
  readonly #elements: readonly unknown[];
  #next = 0;

  constructor(name: string, elements: readonly unknown[]) {
    this.name = name;
    this.#elements = elements;
  }

  position(): number {
    return this.#next;
  }

  seek(position: number): void {
    const { length } = this.#elements;
    if (position > length) throw tooShort(this.name, position, length);
    this.#next = position;
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    const elements = this.#elements;
    const end = Math.min(elements.length, this.#next + limit);
    while (this.#next < end && !task.attention) {
      const index = this.#next++;
      out.record(elements[index], index, undefined);
    }
    return this.#next < elements.length ? 'more' : 'ended';
  }
}
