import { RsError } from '@rs/core';
import type { RedisArgument } from '@rs/redis';
import { ENTRY_VALUES } from '../../store/commit-limits.ts';
import type { CommitOp } from '../../store/commit-op.ts';
import { checkFunctions, type SlotSink, slotSink } from './slot-sink.ts';
import { checkStored, type StoredAs, storedForm } from './slot-value.ts';

export interface RedisStreamOptions<T> {
  /** The fields of a result's entry, 1 to 1,000; a result with others fails its record. Default: `value`, with text as it is and everything else as JSON. */
  readonly fields?: (value: T) => Readonly<Record<string, StoredAs>>;
}

/**
 * Appends each result to a stream of Redis, by the commit that makes it: exactly once, in order, without delay, with ids by the time of
 * the commit. There is one stream for each partition of the topic that the records came from, under the same keys as those of
 * `redisHash`. It is a plain stream for any program; what other jobs of this engine are to read belongs into a topic, with `toTopic`.
 *
 * Nothing is ever removed from it: whoever reads it trims it, with `XTRIM`.
 *
 * @param name `[A-Za-z0-9._-]{1,128}`, unique among the sinks of the job. The stream stays when the job is gone
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`. At run, on another engine: `RS_UNSUPPORTED`
 */
export function redisStream<T>(name: string, options: RedisStreamOptions<T> = {}): SlotSink<T> {
  const factory = 'redisStream';
  checkFunctions(factory, options, { required: [], optional: ['fields'] });
  const { fields } = options;
  const where = `${factory} '${name}'`;
  return slotSink<T>(factory, name, {
    type: 'stream',
    encode: (result) =>
      fields === undefined ? ['value', storedForm(result)] : entryOf(fields(result as T), where),
    ops: (key, entries) => streamOps(key, entries as readonly (readonly RedisArgument[])[]),
  });
}

/** A script that adds entries wants them to have as many fields as each other; the order between those that do not stays. */
function streamOps(key: string, entries: readonly (readonly RedisArgument[])[]): CommitOp[] {
  const ops: { type: 'append'; key: string; entries: (readonly RedisArgument[])[] }[] = [];
  for (const entry of entries) {
    const open = ops.at(-1);
    if (open?.entries[0]?.length === entry.length) open.entries.push(entry);
    else ops.push({ type: 'append', key, entries: [entry] });
  }
  return ops;
}

const MOST_FIELDS = ENTRY_VALUES / 2;

function entryOf(fields: unknown, where: string): RedisArgument[] {
  const pairs = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
  if (pairs.length === 0 || pairs.length > MOST_FIELDS) {
    throw new RsError(
      'RS_INVALID_VALUE',
      `${where}: an entry needs 1 to ${MOST_FIELDS} fields, got ${pairs.length}`,
      { details: { received: fields } },
    );
  }
  return pairs.flatMap(([field, value]) => [field, checkStored(value, `${where}: field '${field}'`)]);
}
