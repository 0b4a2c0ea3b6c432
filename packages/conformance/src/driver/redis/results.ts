import { jsonCodec, RsError } from '@rs/core';
import { redisStream, type TaskStatus } from '@rs/runtime-redis';
import type { SinkTo } from '../../case.ts';
import type { Outcome } from '../../outcome.ts';

const codec = jsonCodec<unknown>();
const FIELD = 'value';

/** Sinks whose results are part of the commits: whatever dies in between, each is there once, in order. */
export function slotSinks(names: Set<string>): SinkTo {
  return (name, stream) => {
    names.add(name);
    const sink = redisStream<unknown>(name, { fields: (value) => ({ [FIELD]: codec.encode(value) }) });
    stream.addSink(sink, { uid: name, name });
  };
}

/** The result in an entry of such a sink. */
export function resultOf(fields: readonly string[]): unknown {
  const [field, value] = fields;
  if (field === FIELD && value !== undefined) return codec.decode(value);
  throw new RsError('RS_INVALID_VALUE', `an entry of a sink with the fields ${fields.join(', ')}`);
}

type Told = { readonly tasks: readonly Pick<TaskStatus, 'task' | 'partition' | 'lateRecords'>[] };

/**
 * Late records by operator, as the processes of a job have told of them. A count belongs to a task, not to a process: whoever owns it goes
 * on from the last one, so the largest is that of the whole run.
 */
export function lateRecords(told: readonly Told[]): Outcome['late'] {
  const byTask = new Map<string, Record<string, number>>();
  for (const { task, partition, lateRecords: late } of told.flatMap(({ tasks }) => tasks)) {
    const name = `${task} ${partition}`;
    const known = byTask.get(name) ?? {};
    for (const [operator, count] of Object.entries(late)) {
      known[operator] = Math.max(known[operator] ?? 0, count);
    }
    byTask.set(name, known);
  }
  const total: Record<string, number> = {};
  for (const late of byTask.values()) {
    for (const [operator, count] of Object.entries(late)) total[operator] = (total[operator] ?? 0) + count;
  }
  return total;
}
