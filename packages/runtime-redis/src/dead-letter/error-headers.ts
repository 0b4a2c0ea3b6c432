import { isUtf8 } from 'node:buffer';
import { RsError } from '@rs/core';
import { describeError } from '@rs/mq';
import type { RedisArgument } from '@rs/redis';

/** What the headers of a dead letter say about why the job gave it up. The message has at most 512 characters. */
export function errorHeaders(job: string, group: string, error: unknown): Readonly<Record<string, string>> {
  // An error of ours says where it happened; its cause is what user code threw.
  const thrown = error instanceof RsError && error.cause !== undefined ? error.cause : error;
  return {
    'x-runtime-job': job,
    'x-runtime-group': group,
    'x-runtime-error-type': describeError(thrown).name,
    'x-runtime-error-message': describeError(error).message,
  };
}

/**
 * The fields of an entry with these headers added to those of its message. Where there are no headers that can be read, the entry
 * stays as it is: it is no message, and somebody will want to see what it was.
 */
export function withHeaders(
  fields: readonly RedisArgument[],
  headers: Readonly<Record<string, string>>,
): readonly RedisArgument[] {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (String(fields[at]) !== 'h') continue;
    const before = headersIn(fields[at + 1] ?? '');
    if (before === undefined) return fields;
    return fields.with(at + 1, JSON.stringify({ ...before, ...headers }));
  }
  return fields;
}

function headersIn(field: RedisArgument): Readonly<Record<string, unknown>> | undefined {
  if (Buffer.isBuffer(field) && !isUtf8(field)) return undefined;
  const text = String(field);
  if (text === '') return {};
  try {
    const headers: unknown = JSON.parse(text);
    const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
    return isObject ? (headers as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
