import {
  RsError,
  type StatefulOptions,
  type TimestampAssigner,
  type TimestampsAndWatermarks,
  type WatermarkGenerator,
} from '@rs/core';
import type { TimestampsSpec } from '../operator/timestamps.ts';
import { checkFunction, checkMethods } from './checks.ts';

export type GeneratorSpec<T> = WatermarkGenerator<T> | (() => WatermarkGenerator<T>);

/** The three forms of `assignTimestampsAndWatermarks` as one. */
export function timestampsSpec<T>(
  first: TimestampsAndWatermarks<T> | GeneratorSpec<T> | TimestampAssigner<T>,
  second: GeneratorSpec<T> | undefined,
): TimestampsSpec<T> {
  if (second !== undefined) {
    checkFunction(first, 'assignTimestampsAndWatermarks', 'a timestamp assigner');
    return {
      assigner: first as TimestampAssigner<T>,
      createGenerator: generatorFactory(second),
      idleness: undefined,
    };
  }
  if (isStrategy(first)) {
    return {
      assigner: (value, timestamp) => first.extractTimestamp(value, timestamp),
      createGenerator: () => first.createWatermarkGenerator(),
      idleness: first.idleness,
    };
  }
  return {
    assigner: undefined,
    createGenerator: generatorFactory(first as GeneratorSpec<T>),
    idleness: undefined,
  };
}

/**
 * Tells the options of `assignTimestampsAndWatermarks` from a generator or factory in their place. What looks like a
 * generator or strategy by a single method is none: it gets the message that says what it lacks. Of other things, such as
 * a text, only what stands in front can tell: behind an assigner a generator is due.
 */
export function isStatefulOptions(value: unknown, before: unknown): value is StatefulOptions {
  if (value === undefined || typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null) return typeof before !== 'function';
  const methods = ['onEvent', 'onPeriodicEmit', 'createWatermarkGenerator'];
  return methods.every((name) => typeof (value as Record<string, unknown>)[name] !== 'function');
}

function isStrategy<T>(value: unknown): value is TimestampsAndWatermarks<T> {
  return (
    typeof (value as TimestampsAndWatermarks<T> | null | undefined)?.createWatermarkGenerator === 'function'
  );
}

/** A generator has history, so each partition and each run needs one of its own. */
function generatorFactory<T>(generator: GeneratorSpec<T>): () => WatermarkGenerator<T> {
  if (typeof generator === 'function') {
    return () => {
      const made = generator();
      checkGenerator(
        made,
        'a factory that returns generators (an assigner of timestamps needs one beside it)',
      );
      return made;
    };
  }
  checkGenerator(generator, 'a strategy, a generator or a factory of generators');
  let used = false;
  return () => {
    if (generator.fresh !== undefined) return generator.fresh();
    if (used) {
      throw new RsError(
        'RS_GENERATOR_REUSED',
        'a watermark generator has history and cannot serve a second run or partition; pass a factory, a WatermarkStrategy, or give it a fresh() method',
      );
    }
    used = true;
    return generator;
  };
}

function checkGenerator(generator: unknown, what: string): void {
  checkMethods(generator, ['onEvent', 'onPeriodicEmit'], 'assignTimestampsAndWatermarks', what);
}
