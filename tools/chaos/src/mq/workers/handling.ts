import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '@rs/core';
import { type BatchHandler, type HandlerResult, type MessageHandler, outcome } from '@rs/mq';
import type { Entry, Result } from '../history/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { payloadOf } from '../load/payload.ts';
import { planOf } from '../load/plan.ts';
import { now } from '../../time/now.ts';
import { HEADERS } from './config.ts';

export interface HandlingOptions {
  readonly seed: number;
  readonly journal: Journal<Entry>;
  /** The epoch under which this process owns a partition. */
  readonly epochOf: (partition: number) => number;
}

interface Call {
  readonly called: number;
  readonly epoch: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** Does with each message what its plan says, and writes down when it began and how it ended. */
export class Handling {
  readonly #options: HandlingOptions;

  constructor(options: HandlingOptions) {
    this.#options = options;
  }

  readonly one: MessageHandler<unknown> = async (message, { attempt, signal }) => {
    const epoch = this.#options.epochOf(message.partition);
    return resultOf(await this.#work(message, { called: now(), epoch, attempt, signal }));
  };

  /** In order. What follows a failed message of the same key is put off with it, as its order demands. */
  readonly batch: BatchHandler<unknown> = async (messages, { attempts, signal }) => {
    const called = now();
    const epoch = this.#options.epochOf(messages[0]?.partition ?? 0);
    const results: HandlerResult[] = [];
    const held = new Set<string | undefined>();
    for (const [at, message] of messages.entries()) {
      const { partition, id, key } = message;
      const attempt = attempts[at] ?? 1;
      if (held.has(key) || signal.aborted) {
        this.#options.journal.write({
          type: 'end',
          partition,
          id,
          epoch,
          result: 'again',
          aborted: signal.aborted,
        });
        results.push('RETRY');
        continue;
      }
      const result = await this.#work(message, { called, epoch, attempt, signal });
      if (result === 'failed') held.add(key);
      results.push(result === 'failed' ? 'RETRY' : resultOf(result));
    }
    return results;
  };

  async #work(message: Message<unknown>, { called, epoch, attempt, signal }: Call): Promise<Result> {
    const { journal, seed } = this.#options;
    const { partition, id, key = '', headers } = message;
    const n = Number(headers[HEADERS.n]);
    journal.write({ type: 'start', partition, id, called, epoch, attempt });
    const payload = payloadOf(seed, { key, n });
    if (!Buffer.isBuffer(message.value) || !payload.equals(message.value)) {
      journal.write({ type: 'corrupt', partition, id, what: `message ${n} of ${key} has other bytes` });
    }
    const { failures, dead, takes, heeds } = planOf(seed, { key, n });
    let result: Result = attempt <= failures ? 'failed' : dead ? 'dead' : 'done';
    if (takes > 0) {
      await pause(takes, undefined, heeds ? { signal } : {}).catch(() => {
        result = 'failed';
      });
    }
    journal.write({ type: 'end', partition, id, epoch, result, aborted: signal.aborted });
    return result;
  }
}

function resultOf(result: Result): HandlerResult {
  if (result === 'failed') throw new Error('planned failure');
  return result === 'dead' ? outcome.deadLetter('planned') : undefined;
}
