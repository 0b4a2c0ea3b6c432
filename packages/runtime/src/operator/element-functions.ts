import type { BroadcastProcessFunction, CoProcessFunction, FlatMapFunction, MapFunction } from '@rs/core';
import { isPromise } from '../promise.ts';
import { resultsOf } from './flat-map-results.ts';
import type { KeylessScope } from './keyless-scope.ts';
import type { Task } from './task.ts';

/** A user function of two inputs without keys, whatever its shape is. The scope is both context and collector. */
export interface ElementFunctions<A, B> {
  open?(): unknown;
  element1(value: A, scope: KeylessScope): unknown;
  element2(value: B, scope: KeylessScope): unknown;
  close?(): unknown;
}

export function coProcessFunctions<A, B, R>(fn: CoProcessFunction<A, B, R>): ElementFunctions<A, B> {
  return {
    open: () => fn.open?.(),
    element1: (value, scope) => fn.processElement1(value, scope, scope),
    element2: (value, scope) => fn.processElement2(value, scope, scope),
    close: () => fn.close?.(),
  };
}

export function broadcastFunctions<A, B, R>(fn: BroadcastProcessFunction<A, B, R>): ElementFunctions<A, B> {
  return {
    open: () => fn.open?.(),
    element1: (value, scope) => fn.processElement(value, scope, scope),
    element2: (value, scope) => fn.processBroadcastElement(value, scope, scope),
    close: () => fn.close?.(),
  };
}

export function mapFunctions<A, B>(
  fn1: MapFunction<A, unknown>,
  fn2: MapFunction<B, unknown>,
): ElementFunctions<A, B> {
  return {
    element1: (value, scope) => afterwards(fn1(value), (result) => scope.collect(result)),
    element2: (value, scope) => afterwards(fn2(value), (result) => scope.collect(result)),
  };
}

export function flatMapFunctions<A, B>(
  fn1: FlatMapFunction<A, unknown>,
  fn2: FlatMapFunction<B, unknown>,
  task: Task,
): ElementFunctions<A, B> {
  const collectAll = (results: Iterable<unknown> | null | undefined, scope: KeylessScope): void => {
    for (const result of resultsOf(results)) {
      if (task.stopped) return;
      scope.collect(result);
    }
  };
  return {
    element1: (value, scope) => afterwards(fn1(value), (results) => collectAll(results, scope)),
    element2: (value, scope) => afterwards(fn2(value), (results) => collectAll(results, scope)),
  };
}

function afterwards<R>(result: R | PromiseLike<R>, emit: (result: R) => void): unknown {
  return isPromise(result) ? result.then(emit) : emit(result);
}
