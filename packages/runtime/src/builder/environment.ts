import {
  type DataStream,
  durationToMillis,
  type Duration,
  type LatenessMode,
  type Logger,
  RsError,
  type SourceOptions,
  type StreamEnvironment,
  type StreamSource,
} from '@rs/core';
import type { NodeInput, SinkNode } from '../graph/node.ts';
import { checkLatenessMode, checkMethods } from './checks.ts';
import { DataStreamBuilder } from './data-stream.ts';
import type { BuilderHost } from './host.ts';
import { makeSource } from './make-node.ts';

/** What a source node reads, for engines to interpret. */
export type SourceSpec =
  | { readonly type: 'iterable'; readonly iterable: Iterable<unknown> }
  | { readonly type: 'asyncIterable'; readonly iterable: AsyncIterable<unknown> }
  | { readonly type: 'custom'; readonly source: StreamSource<unknown> };

export interface EnvironmentDefaults {
  readonly logger: Logger;
  /** Allowed lateness of windows that set none. Default 0. */
  readonly windowAllowedLateness?: Duration;
  /** Default `refire`. */
  readonly windowLatenessMode?: LatenessMode;
}

/** Declares streams; what an attached sink leads to is the engine's part. */
export abstract class EnvironmentBuilder implements StreamEnvironment, BuilderHost {
  readonly logger: Logger;
  readonly windowAllowedLateness: number;
  readonly windowLatenessMode: LatenessMode;
  #declared = 0;

  constructor(defaults: EnvironmentDefaults) {
    this.logger = defaults.logger;
    this.windowAllowedLateness = durationToMillis(
      defaults.windowAllowedLateness ?? 0,
      'windowAllowedLateness',
    );
    this.windowLatenessMode = checkLatenessMode(
      defaults.windowLatenessMode ?? 'refire',
      'windowLatenessMode',
    );
  }

  abstract attachSink(sink: SinkNode): void;
  abstract iterate(output: NodeInput): Iterator<unknown>;

  fromElements<T>(...elements: readonly T[]): DataStream<T> {
    return this.#source('elements', { type: 'iterable', iterable: elements });
  }

  fromCollection<T>(elements: Iterable<T>): DataStream<T> {
    if (typeof elements?.[Symbol.iterator] !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `fromCollection needs an iterable, got ${typeof elements}; use fromAsyncIterable for an async one`,
      );
    }
    const iterable = Array.isArray(elements) ? [...(elements as readonly T[])] : elements;
    return this.#source('collection', { type: 'iterable', iterable });
  }

  addSource<T>(source: StreamSource<T>, options: SourceOptions = {}): DataStream<T> {
    checkMethods(source, ['run'], 'addSource', 'a StreamSource');
    return this.#source(options.name ?? 'source', { type: 'custom', source });
  }

  fromAsyncIterable<T>(iterable: AsyncIterable<T>, options: SourceOptions = {}): DataStream<T> {
    if (typeof iterable?.[Symbol.asyncIterator] !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `fromAsyncIterable needs an async iterable, got ${typeof iterable}; use fromCollection for a plain one`,
      );
    }
    return this.#source(options.name ?? 'async iterable', { type: 'asyncIterable', iterable });
  }

  nextNumber(): number {
    return this.#declared++;
  }

  dataStream<T>(output: NodeInput): DataStream<T> {
    return new DataStreamBuilder<T>(this, output);
  }

  #source<T>(name: string, spec: SourceSpec): DataStream<T> {
    return this.dataStream<T>({ node: makeSource(this, name, spec), tag: undefined });
  }
}
