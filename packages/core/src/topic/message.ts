/** A message of a topic. */
export interface Message<T> {
  /** Its place in its partition: two integers such as `17-0`, compared as numbers. Unique in the partition. */
  readonly id: string;
  readonly topic: string;
  /** Number of the partition, from 0. */
  readonly partition: number;
  /** What it was sent with, and what decided on its partition; `undefined` for a message without a key. */
  readonly key: string | undefined;
  readonly value: T;
  /** Event time in epoch milliseconds: what the sender gave, else the time of sending. */
  readonly timestamp: number;
  readonly headers: Readonly<Record<string, string>>;
}
