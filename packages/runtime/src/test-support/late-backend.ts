import { jsonCodec } from '@rs/core';
import type { CommitBatch, CommitReply, StateBackend } from '../driver/batched/backend.ts';

const codec = jsonCodec<CommitBatch>();
/** More than any run of the tests needs. */
const MOST_READS = 10_000;

/** What happens to one commit on its way. Default: nothing. */
export interface CommitFate {
  /** Until it is applied. */
  readonly arrives?: () => Promise<unknown>;
  /** From then on until the task hears of it. */
  readonly answered?: () => Promise<unknown>;
  /** It is not applied, and this is the answer. */
  readonly reply?: CommitReply;
  /** The answer is lost; it may be applied all the same. */
  readonly lost?: 'before' | 'after';
}

/** A backend as it is at the other end of a network: commits take their time. They are taken as they were when they were made. */
export function lateBackend(inner: StateBackend, fateOf: (batch: CommitBatch) => CommitFate): StateBackend {
  let reads = 0;
  return {
    ...inner,
    timers: (queues, limit) => {
      // Turns of the queue of promises alone let no time-out of a test come through.
      if (++reads > MOST_READS) throw new Error('timers are read again and again');
      return inner.timers(queues, limit);
    },
    commit: (batch) => commitLate(inner, codec.decode(codec.encode(batch)), fateOf(batch)),
  };
}

async function commitLate(
  inner: StateBackend,
  batch: CommitBatch,
  { arrives, answered, reply, lost }: CommitFate,
): Promise<CommitReply> {
  await arrives?.();
  const answer = reply ?? (lost === 'before' ? undefined : await inner.commit(batch));
  await answered?.();
  if (answer === undefined || lost !== undefined) throw new Error('connection lost');
  return answer;
}

/** Resolves after some turns of the queue of promises. */
export async function hops(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop++) await Promise.resolve();
}
