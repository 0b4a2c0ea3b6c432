import type { Message } from '@rs/core';
import type { AnyReceiver, PumpResult, SourceReader, Task } from '@rs/runtime';
import { tooShort } from '../source/too-short.ts';
import type { PartitionLog } from './partition-log.ts';

/** Reads one partition of a topic from its beginning, and waits at its end for what is sent. */
export class TopicReader implements SourceReader {
  readonly name: string;
  readonly #log: PartitionLog;
  /** How many messages it reads. */
  readonly #limit: number;
  #next = 0;
  #stopListening: () => void = () => undefined;

  /** @param limit `Infinity` for a reader that never ends */
  constructor(name: string, log: PartitionLog, limit: number) {
    this.name = name;
    this.#log = log;
    this.#limit = limit;
  }

  ready(): boolean {
    return this.#next < Math.min(this.#limit, this.#log.messages.length);
  }

  position(): number {
    return this.#next;
  }

  seek(position: number): void {
    const available = Math.min(this.#limit, this.#log.messages.length);
    if (position > available) throw tooShort(this.name, position, available);
    this.#next = position;
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    const { messages } = this.#log;
    const end = Math.min(this.#limit, messages.length, this.#next + limit);
    while (this.#next < end && !task.attention) {
      const message = messages[this.#next++] as Message<unknown>;
      out.record(message, message.timestamp, message.key);
    }
    if (this.#next >= this.#limit) return 'ended';
    return this.ready() ? 'more' : this.#nextMessage();
  }

  cancel(): void {
    this.#stopListening();
  }

  close(): void {
    this.#stopListening();
  }

  #nextMessage(): Promise<void> {
    return new Promise((resolve) => {
      this.#stopListening = this.#log.onAppend(() => {
        this.#stopListening();
        resolve();
      });
    });
  }
}
