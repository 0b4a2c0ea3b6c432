import type { Logger, MaybePromise, StreamSink } from '@rs/core';
import { checkMethods } from './checks.ts';

export function toSink<T>(sink: StreamSink<T> | ((value: T) => MaybePromise<void>)): StreamSink<T> {
  if (typeof sink === 'function') return { invoke: sink };
  checkMethods(sink, ['invoke'], 'addSink', 'a function or a sink');
  return sink;
}

export function printSink(logger: Logger, prefix: string): StreamSink<unknown> {
  return {
    invoke: (value) => {
      logger.info({ component: 'print' }, `${prefix}${typeof value === 'string' ? value : show(value)}`);
    },
  };
}

function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value); // A cycle or a bigint: print shows what it can and never fails the job.
  }
}
