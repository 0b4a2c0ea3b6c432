import type { RedisArgument } from '@rs/redis';
import type { CommitOp } from '../../store/commit-op.ts';
import { checkFunctions, type SlotSink, slotSink } from './slot-sink.ts';
import { checkStored, checkText, type StoredAs, storedForm } from './slot-value.ts';

export interface RedisHashOptions<T> {
  /** The field that a result is written to. The last result for a field stands. */
  readonly field: (value: T) => string | number;
  /** What is written. Default: text as it is, everything else as JSON. */
  readonly value?: (value: T) => StoredAs;
  /** True for a result that removes its field. Default: none does. */
  readonly delete?: (value: T) => boolean;
}

interface FieldWrite {
  readonly field: string;
  /** `undefined`: the field is removed. */
  readonly value: RedisArgument | undefined;
}

/**
 * Keeps the newest result for each field in a hash of Redis, written by the commit that makes it: exactly once, without delay. There is one
 * hash for each partition of the topic that the records came from, `<prefix>:{<topic>#<shard>}:p<partition>:k:<job>:<name>`.
 *
 * @param name `[A-Za-z0-9._-]{1,128}`, unique among the sinks of the job. The hash stays when the job is gone
 * @example totals.addSink(redisHash('totals', { field: (total) => total.customer, value: (total) => total.amount }));
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`. At run, on another engine: `RS_UNSUPPORTED`
 */
export function redisHash<T>(name: string, options: RedisHashOptions<T>): SlotSink<T> {
  const factory = 'redisHash';
  checkFunctions(factory, options, { required: ['field'], optional: ['value', 'delete'] });
  const { field, value, delete: removes } = options;
  const where = `${factory} '${name}'`;
  return slotSink<T>(factory, name, {
    type: 'hash',
    encode: (result): FieldWrite => {
      const each = result as T;
      return {
        field: checkText(field(each), `${where}: a field`),
        value: removes?.(each) === true ? undefined : written(value, each, where),
      };
    },
    ops: (key, writes) => hashOps(key, writes as readonly FieldWrite[]),
  });
}

function written<T>(value: RedisHashOptions<T>['value'], result: T, where: string): RedisArgument {
  return value === undefined ? storedForm(result) : checkStored(value(result), `${where}: a value`);
}

function hashOps(key: string, writes: readonly FieldWrite[]): CommitOp[] {
  // Only the last write to a field counts, and the order of different fields does not show.
  const last = new Map(writes.map(({ field, value }) => [field, value]));
  const set: RedisArgument[] = [];
  const removed: string[] = [];
  for (const [field, value] of last) {
    if (value === undefined) removed.push(field);
    else set.push(field, value);
  }
  return [
    ...(set.length === 0 ? [] : [{ type: 'hset' as const, key, fields: set }]),
    ...(removed.length === 0 ? [] : [{ type: 'hdel' as const, key, fields: removed }]),
  ];
}
