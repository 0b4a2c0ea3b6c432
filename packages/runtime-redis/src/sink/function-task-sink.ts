import { jsonCodec } from '@rs/core';
import type { RedisArgument } from '@rs/redis';
import type { OutputRecord } from '@rs/runtime';
import type { CommitOp } from '../store/commit-op.ts';
import { outId } from './out-position.ts';
import type { TaskSink } from './task-sink.ts';

const codec = jsonCodec<unknown>();

/**
 * Writes results into an out log, from where they are given to a sink of the user once they are committed.
 *
 * | field | content |
 * |---|---|
 * | `v` | the value, as the JSON codec writes it |
 */
export class FunctionTaskSink implements TaskSink {
  readonly #key: string;
  readonly #plain: (value: unknown) => unknown;

  /**
   * @param key of the out log
   * @param plain what is stored of a value. Default: the value
   */
  constructor(key: string, plain: (value: unknown) => unknown = (value) => value) {
    this.#key = key;
    this.#plain = plain;
  }

  /** @throws RsError `RS_INVALID_VALUE` for what the JSON codec refuses */
  transfer(value: unknown): string | Buffer {
    const encoded = codec.encode(this.#plain(value));
    return typeof encoded === 'string' ? encoded : Buffer.from(encoded);
  }

  ops(outputs: readonly OutputRecord[], seq: number): readonly CommitOp[] {
    const entries = outputs.map(({ value }, ordinal) => ({
      id: outId(seq, ordinal),
      fields: ['v', value as string | Buffer],
    }));
    return [{ type: 'xadd', key: this.#key, entries }];
  }
}

/** The value in an entry. It is a new one each time: a sink may keep it or change it. */
export function valueOf(fields: readonly RedisArgument[]): unknown {
  return codec.decode(String(fields[1] ?? ''));
}
