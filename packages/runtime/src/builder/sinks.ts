import { inspect } from 'node:util';
import type { Logger, MaybePromise, StreamSink, TwoPhaseCommitSink } from '@rs/core';
import { type AnySink, isTransactional } from '../graph/node.ts';
import { PLAIN, type PlainSink } from '../operator/sink.ts';
import { checkMethods } from './checks.ts';

export function toSink<T, Txn>(
  sink: TwoPhaseCommitSink<T, Txn> | StreamSink<T> | ((value: T) => MaybePromise<void>),
): AnySink {
  if (typeof sink === 'function') return { invoke: sink };
  checkMethods(sink, ['invoke'], 'addSink', 'a function or a sink');
  if (isTransactional(sink)) {
    const methods = ['preCommit', 'commit', 'recoverAndCommit', 'recoverAndAbort'];
    checkMethods(sink, methods, 'addSink', 'a sink with all methods for transactions');
  }
  return sink;
}

export function printSink(logger: Logger, prefix: string): PlainSink<unknown> {
  return {
    invoke: (value) => {
      logger.info({ component: 'print' }, `${prefix}${show(value)}`);
    },
    [PLAIN]: show,
  };
}

/** As Node's console shows values: nothing is lost, and nothing makes it fail. */
function show(value: unknown): string {
  if (typeof value === 'string') return value;
  return inspect(value, { depth: 8, breakLength: Infinity, compact: true });
}
