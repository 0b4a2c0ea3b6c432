import type { Message } from '@rs/core';
import type { DeadReason } from '../consumer/lane/settle-batch.ts';

/** A message that a group has given up. It stays until it is replayed or removed. */
export interface DeadLetter<T> {
  /** `<partition>:<place>`, unique in the topic: what `replay` and `remove` take, and where `list` goes on `after`. */
  readonly id: string;
  readonly topic: string;
  readonly partition: number;
  /** The group that gave it up. Other groups know nothing of it. */
  readonly group: string;
  /** Id of the message, that of its first delivery also when it was replayed before. */
  readonly messageId: string;
  /** Attempts that failed. 0 for what could not be decoded: its handler was never called. */
  readonly attempts: number;
  /** When it was given up, in epoch milliseconds of the server. */
  readonly failedAt: number;
  /**
   * `attempts`: they were used up. `handler`: it said so. `policy`: `retry.policy` said so. `undecodable`: it cannot be read, or the
   * schema of the topic refuses it. `crashed`: its handler brought the process down too often.
   */
  readonly reason: DeadReason;
  readonly error: DeadLetterError;
  /** As far as it can be read; `undefined` also for a message without one. */
  readonly key: string | undefined;
  /** As far as they can be read, else none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Event time in epoch milliseconds; where it cannot be read, the time of sending. */
  readonly timestamp: number;
  /** The bytes as they were sent: those of the value are `d`. What other programs wrote into the topic may have other fields. */
  readonly raw: DeadLetterBytes;
  /**
   * The message as a handler gets it, its value checked by the schema of the topic.
   *
   * @throws RsError `RS_INVALID_VALUE` when it cannot be read, or the schema refuses it; `RS_USER_FUNCTION_FAILED` when the schema throws
   */
  decode(): Promise<Message<T>>;
}

/** Why the last attempt failed, as far as there was an error. */
export interface DeadLetterError {
  readonly name?: string;
  /** At most 512 characters. */
  readonly message?: string;
  /** The same for errors of the same cause, as far as texts tell; `''` where nothing is known. */
  readonly signature: string;
  /** With the stacks of its causes, at most 4 KiB. */
  readonly stack?: string;
  /** Code of the `RsError`, where it could not be decoded. */
  readonly code?: string;
  /** What the schema of the topic found. */
  readonly issues?: readonly DeadLetterIssue[];
  /** What the handler said with `outcome.deadLetter(reason)`. */
  readonly reason?: string;
}

export interface DeadLetterIssue {
  readonly message: string;
  /** Names and indexes that lead to the place within the value, with dots between them. */
  readonly path?: string;
}

/** Fields of an entry by name. Those of a message: `m` facts, `k` key, `h` headers, `d` value. */
export interface DeadLetterBytes {
  readonly m?: Buffer;
  readonly k?: Buffer;
  readonly h?: Buffer;
  readonly d?: Buffer;
  readonly [field: string]: Buffer | undefined;
}
