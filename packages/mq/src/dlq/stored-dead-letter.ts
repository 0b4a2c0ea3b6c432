import type { RedisReply } from '@rs/redis';

/** A dead letter as its stream holds it. */
export interface StoredDeadLetter {
  readonly partition: number;
  readonly entry: string;
  readonly group: string;
  readonly messageId: string;
  readonly attempts: number;
  readonly failedAt: number;
  readonly reason: string;
  /** JSON about the error. */
  readonly error: string;
  /** Names and values of the message's entry in turn; empty when only the facts were asked for. */
  readonly fields: readonly Buffer[];
}

/** What `settle-messages.lua` writes in front of the message. */
const FACTS = ['o', 'g', 'n', 't', 'r', 'e'] as const;

/** `undefined` for an entry that is no dead letter: anybody can write to a stream. */
export function storedDeadLetter(partition: number, reply: RedisReply): StoredDeadLetter | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [entry, fields] = reply as readonly RedisReply[];
  if (!Buffer.isBuffer(entry) || !Array.isArray(fields)) return undefined;
  const all = fields as readonly Buffer[];
  if (FACTS.some((name, at) => all[2 * at]?.toString('latin1') !== name)) return undefined;
  const [messageId = '', group = '', attempts, failedAt, reason = '', error = ''] = FACTS.map((_, at) =>
    all[2 * at + 1]?.toString(),
  );
  return {
    partition,
    entry: entry.toString('latin1'),
    group,
    messageId,
    attempts: Number(attempts),
    failedAt: Number(failedAt),
    reason,
    error,
    fields: all.slice(2 * FACTS.length),
  };
}
