import { inspect } from 'node:util';
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

/** As Node's console shows values: nothing is lost, and nothing makes it fail. */
function show(value: unknown): string {
  return inspect(value, { depth: 8, breakLength: Infinity, compact: true });
}
