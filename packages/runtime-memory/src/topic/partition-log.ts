import type { Message } from '@rs/core';

/** What a message is sent with, checked. */
export type MessageDraft = Pick<Message<unknown>, 'key' | 'value' | 'timestamp' | 'headers'>;

/** The messages of one partition, in the order in which they were sent. */
export class PartitionLog {
  readonly #topic: string;
  readonly #partition: number;
  readonly #messages: Message<unknown>[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(topic: string, partition: number) {
    this.#topic = topic;
    this.#partition = partition;
  }

  /** Grows with each message; the one with the id `<n>-0` is at `n − 1`. */
  get messages(): readonly Message<unknown>[] {
    return this.#messages;
  }

  append(draft: MessageDraft): Message<unknown> {
    const id = `${this.#messages.length + 1}-0`;
    const message = Object.freeze({ id, topic: this.#topic, partition: this.#partition, ...draft });
    this.#messages.push(message);
    for (const listener of this.#listeners) listener();
    return message;
  }

  /** Calls back after each message. Returns how to stop that. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
