import {
  type AccumulatorOptions,
  type AggregateFunction,
  checkObject,
  type DataStream,
  durationToMillis,
  type Duration,
  type Evictor,
  type LatenessMode,
  type LatenessOptions,
  type NumberField,
  type OutputTag,
  type ProcessWindowFunction,
  type ReduceFunction,
  RsError,
  type StatefulOptions,
  type SumOf,
  type Trigger,
  type WindowAssigner,
  type WindowedStream,
  type WindowFunction,
  type WindowResultFunction,
} from '@rs/core';
import type { DescribedState, NodeInput } from '../graph/node.ts';
import { countAggregate, type Numeric, sumAggregate } from '../operator/numbers.ts';
import {
  type ElementsFunction,
  elementsContents,
  foldContents,
  foldOfElements,
  type MakeContents,
} from '../operator/window/make-contents.ts';
import { makeWindowOperator } from '../operator/window/make-operator.ts';
import {
  checkAccumulatorOptions,
  checkFunction,
  checkLatenessMode,
  checkMethods,
  checkTag,
} from './checks.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator } from './make-node.ts';
import { checkEvictor, checkTrigger, checkTriggerStates } from './window-checks.ts';

interface WindowSettings<T> {
  readonly assigner: WindowAssigner<T>;
  readonly trigger: Trigger<T>;
  /** Milliseconds. */
  readonly lateness: number;
  readonly latenessMode: LatenessMode;
  readonly lateTag: OutputTag<T> | undefined;
  readonly evictor: Evictor<T> | undefined;
  /** What a late record is for users; `undefined`: the element as it is. */
  readonly lateValue: ((element: T) => unknown) | undefined;
}

/** The settings of windows of which only the assigner has been given. */
export function windowSettings<T>(host: BuilderHost, assigner: WindowAssigner<T>): WindowSettings<T> {
  return {
    assigner,
    trigger: assigner.getDefaultTrigger(),
    lateness: host.windowAllowedLateness,
    latenessMode: host.windowLatenessMode,
    lateTag: undefined,
    evictor: assigner.getDefaultEvictor?.(),
    lateValue: undefined,
  };
}

export class WindowedStreamBuilder<K, T> implements WindowedStream<K, T> {
  readonly #host: BuilderHost;
  readonly #input: NodeInput;
  readonly #settings: WindowSettings<T>;

  constructor(host: BuilderHost, input: NodeInput, settings: WindowSettings<T>) {
    this.#host = host;
    this.#input = input;
    this.#settings = settings;
  }

  trigger(trigger: Trigger<T>): WindowedStream<K, T> {
    checkTrigger(trigger);
    return this.#with({ trigger });
  }

  evictor(evictor: Evictor<T>): WindowedStream<K, T> {
    checkEvictor(evictor);
    return this.#with({ evictor });
  }

  allowedLateness(duration: Duration, options: LatenessOptions = {}): WindowedStream<K, T> {
    checkObject(options, 'allowedLateness: options');
    const { mode = 'refire' } = options;
    const latenessMode = checkLatenessMode(mode, 'allowedLateness');
    const lateness = durationToMillis(duration, 'allowedLateness');
    if (lateness > 0) this.#refuseWhereNothingIsLate('allowedLateness');
    return this.#with({ lateness, latenessMode });
  }

  sideOutputLateData(tag: OutputTag<T>): WindowedStream<K, T> {
    checkTag(tag, 'sideOutputLateData');
    this.#refuseWhereNothingIsLate('sideOutputLateData');
    return this.#with({ lateTag: tag });
  }

  reduce(fn: ReduceFunction<T>, options?: AccumulatorOptions<T>): DataStream<T>;
  reduce<OUT>(
    fn: ReduceFunction<T>,
    result: WindowResultFunction<K, T, OUT>,
    options?: AccumulatorOptions<T>,
  ): DataStream<OUT>;
  reduce<OUT>(
    fn: ReduceFunction<T>,
    second?: WindowResultFunction<K, T, OUT> | AccumulatorOptions<T>,
    third?: AccumulatorOptions<T>,
  ): DataStream<T | OUT> {
    checkFunction(fn, 'reduce');
    return this.#fold<T | undefined, T, OUT>(
      'reduce',
      reduceAggregate(fn),
      ...resultAndOptions(second, third),
    );
  }

  aggregate<ACC, R>(fn: AggregateFunction<T, ACC, R>, options?: AccumulatorOptions<ACC>): DataStream<R>;
  aggregate<ACC, R, OUT>(
    fn: AggregateFunction<T, ACC, R>,
    result: WindowResultFunction<K, R, OUT>,
    options?: AccumulatorOptions<ACC>,
  ): DataStream<OUT>;
  aggregate<ACC, R, OUT>(
    fn: AggregateFunction<T, ACC, R>,
    second?: WindowResultFunction<K, R, OUT> | AccumulatorOptions<ACC>,
    third?: AccumulatorOptions<ACC>,
  ): DataStream<R | OUT> {
    checkMethods(fn, ['createAccumulator', 'add', 'getResult'], 'aggregate', 'an AggregateFunction');
    return this.#fold<ACC, R, OUT>('aggregate', fn, ...resultAndOptions(second, third));
  }

  sum<N extends Numeric | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum<N extends Numeric>(
    this: WindowedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum(field?: NumberField<T>, options: StatefulOptions = {}): DataStream<Numeric> {
    if (field !== undefined) checkFunction(field, 'sum', 'a function that reads the number');
    return this.#fold<Numeric | null, Numeric, Numeric>('sum', sumAggregate(field), undefined, options);
  }

  count(options: StatefulOptions = {}): DataStream<number> {
    return this.#fold<number, number, number>('count', countAggregate<T>(), undefined, options);
  }

  apply<OUT>(fn: WindowFunction<K, T, OUT>, options: AccumulatorOptions<T> = {}): DataStream<OUT> {
    checkFunction(fn, 'apply', 'a window function');
    return this.#elements('apply', options, (key, window, elements, scope) =>
      fn(key, window, elements, scope),
    );
  }

  process<OUT>(fn: ProcessWindowFunction<K, T, OUT>, options: AccumulatorOptions<T> = {}): DataStream<OUT> {
    checkFunction(fn, 'process', 'a window function');
    return this.#elements('process', options, (key, window, elements, scope) =>
      fn(key, window, elements, scope, scope),
    );
  }

  #elements<OUT>(
    operation: string,
    options: AccumulatorOptions<T>,
    fn: ElementsFunction<K, T>,
  ): DataStream<OUT> {
    checkAccumulatorOptions(options, operation);
    return this.#node(operation, options, elementsContents(fn, options, this.#settings.evictor));
  }

  #fold<ACC, R, OUT>(
    operation: string,
    fn: AggregateFunction<T, ACC, R>,
    result: WindowResultFunction<K, R, OUT> | undefined,
    options: AccumulatorOptions<ACC>,
  ): DataStream<R | OUT> {
    checkAccumulatorOptions(options, operation);
    if (this.#settings.assigner.supportsWindowMerging() && fn.merge === undefined) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${operation} on ${this.#settings.assigner.describe()}: windows that merge need an AggregateFunction with merge(a, b)`,
      );
    }
    const { evictor } = this.#settings;
    if (evictor === undefined) return this.#node(operation, options, foldContents(fn, result, options));
    return this.#node(operation, options, elementsContents(foldOfElements(fn, result), {}, evictor));
  }

  #node<ACC, OUT>(
    operation: string,
    options: StatefulOptions,
    contents: MakeContents<T, ACC>,
  ): DataStream<OUT> {
    const { assigner, trigger, lateness, latenessMode, lateTag, lateValue } = this.#settings;
    if (assigner.supportsWindowMerging() && trigger.onMerge === undefined) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${operation} on ${assigner.describe()}: windows that merge need a trigger with onMerge`,
      );
    }
    checkTriggerStates(trigger, operation);
    const lateTags = lateTag === undefined ? [] : [lateTag.name];
    const sideOutputs = operation === 'process' ? 'any' : lateTags;
    const node = makeOperator(
      this.#host,
      options,
      {
        kind: 'window',
        detail: assigner.describe(),
        inputs: [this.#input],
        sideOutputs,
        states: windowStates(assigner.supportsWindowMerging(), contents.keepsElements, trigger),
        create: ({ gate, outputs, operatorId, store }) =>
          makeWindowOperator(
            gate,
            outputs,
            {
              store,
              operatorId,
              assigner,
              trigger,
              lateness,
              latenessMode,
              lateOutput: lateTag === undefined ? undefined : outputs.side(lateTag.name),
              lateValue,
            },
            contents,
          ),
      },
      { name: operation },
    );
    return this.#host.dataStream<OUT>({ node, tag: undefined });
  }

  /** What is about late data would have no effect there, for ever and in silence. */
  #refuseWhereNothingIsLate(operation: string): void {
    const { assigner } = this.#settings;
    const neverLate = assigner.timeDomain === 'processing' || assigner.endless === true;
    if (!neverLate) return;
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${operation} on ${assigner.describe()}: no record is late for ${assigner.endless === true ? 'windows without an end' : 'windows on processing time'}; leave it out, or use windows that close on event time`,
      { details: { operation } },
    );
  }

  #with(settings: Partial<WindowSettings<T>>): WindowedStream<K, T> {
    return new WindowedStreamBuilder<K, T>(this.#host, this.#input, { ...this.#settings, ...settings });
  }
}

/** What a window operator stores, under the names that a backend sees. */
function windowStates(
  merging: boolean,
  elements: boolean,
  trigger: Trigger<never>,
): readonly DescribedState[] {
  return [
    { name: 'windows', kind: 'value', schemaVersion: 1 },
    ...(elements ? [{ name: 'elements', kind: 'list', schemaVersion: 1 } as const] : []),
    ...(merging ? [{ name: 'sessions', kind: 'value', schemaVersion: 1 } as const] : []),
    ...(trigger.states ?? []).map((state) => ({ ...state, name: `trigger.${state.name}` })),
  ];
}

/** The result function may be left out, also in front of the options. */
function resultAndOptions<K, R, OUT, ACC>(
  second: WindowResultFunction<K, R, OUT> | AccumulatorOptions<ACC> | undefined,
  third: AccumulatorOptions<ACC> = {},
): [result: WindowResultFunction<K, R, OUT> | undefined, options: AccumulatorOptions<ACC>] {
  if (typeof second === 'function') return [second, third];
  return [undefined, second === undefined ? third : second];
}

/** The first element is taken as it is; what a window keeps is never `undefined`. */
function reduceAggregate<T>(fn: ReduceFunction<T>): AggregateFunction<T, T | undefined, T> {
  return {
    createAccumulator: () => undefined,
    add: (value, accumulated) => (accumulated === undefined ? value : fn(accumulated, value)),
    getResult: (accumulated) => accumulated as T,
    merge: (a, b) => fn(a as T, b as T),
  };
}
