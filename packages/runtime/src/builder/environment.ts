import {
  checkName,
  checkObject,
  type DataStream,
  durationToMillis,
  type Duration,
  type LatenessMode,
  type Logger,
  type Message,
  RsError,
  type SourceOptions,
  type StreamEnvironment,
  type StreamSource,
  type SubscriptionOptions,
  type Topic,
} from '@rs/core';
import type { NodeInput, SinkNode } from '../graph/node.ts';
import { checkLatenessMode, checkMethods } from './checks.ts';
import { DataStreamBuilder } from './data-stream.ts';
import type { BuilderHost } from './host.ts';
import { makeSource } from './make-node.ts';
import type { SourceSpec } from './source-spec.ts';
import { type SubscriptionDraft, Subscriptions } from './subscriptions.ts';
import { topicMessages, topicValues } from './topic-source.ts';
import { type WatermarkDefaults, watermarkDefaults, type WatermarkOptions } from './watermark-defaults.ts';

export interface EnvironmentDefaults extends WatermarkOptions {
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
  readonly watermarks: WatermarkDefaults;
  readonly #subscriptions = new Subscriptions();
  #declared = 0;

  constructor(defaults: EnvironmentDefaults) {
    // Defaults for what is undefined alone: null is a mistake, as any other wrong value.
    const { windowAllowedLateness = 0, windowLatenessMode = 'refire' } = defaults;
    this.logger = defaults.logger;
    this.windowAllowedLateness = durationToMillis(windowAllowedLateness, 'windowAllowedLateness');
    this.windowLatenessMode = checkLatenessMode(windowLatenessMode, 'windowLatenessMode');
    this.watermarks = watermarkDefaults(defaults);
  }

  abstract attachSink(sink: SinkNode): void;
  abstract iterate(output: NodeInput): Iterator<unknown>;

  fromElements<T>(...elements: readonly T[]): DataStream<T> {
    return this.#source('fromElements', {}, 'elements', { type: 'iterable', iterable: elements });
  }

  fromCollection<T>(elements: Iterable<T>): DataStream<T> {
    if (typeof elements?.[Symbol.iterator] !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `fromCollection needs an iterable, got ${typeof elements}; use fromAsyncIterable for an async one`,
      );
    }
    const iterable = Array.isArray(elements) ? [...(elements as readonly T[])] : elements;
    return this.#source('fromCollection', {}, 'collection', { type: 'iterable', iterable });
  }

  addSource<T>(source: StreamSource<T>, options: SourceOptions = {}): DataStream<T> {
    checkMethods(source, ['run'], 'addSource', 'a StreamSource');
    return this.#source('addSource', options, 'source', { type: 'custom', source });
  }

  fromAsyncIterable<T>(iterable: AsyncIterable<T>, options: SourceOptions = {}): DataStream<T> {
    if (typeof iterable?.[Symbol.asyncIterator] !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `fromAsyncIterable needs an async iterable, got ${typeof iterable}; use fromCollection for a plain one`,
      );
    }
    return this.#source('fromAsyncIterable', options, 'async iterable', { type: 'asyncIterable', iterable });
  }

  fromMqTopic(topic: string, group: string, options: SubscriptionOptions = {}): DataStream<Message<unknown>> {
    return this.dataStream(this.#messages({ method: 'fromMqTopic', topic, group, options, id: undefined }));
  }

  fromMqTopicWithId(
    id: string,
    topic: string,
    group: string,
    options: SubscriptionOptions = {},
  ): DataStream<Message<unknown>> {
    checkName(id, 'fromMqTopicWithId: the id');
    return this.dataStream(this.#messages({ method: 'fromMqTopicWithId', topic, group, options, id }));
  }

  fromTopic<T>(topic: Topic<T, unknown>, group: string, options: SubscriptionOptions = {}): DataStream<T> {
    checkTopic(topic);
    const draft = { method: 'fromTopic', topic: topic.name, group, options, id: undefined };
    return this.dataStream(topicValues(this, this.#messages(draft), topic));
  }

  nextNumber(): number {
    return this.#declared++;
  }

  dataStream<T>(output: NodeInput): DataStream<T> {
    return new DataStreamBuilder<T>(this, output);
  }

  #messages(draft: SubscriptionDraft): NodeInput {
    return topicMessages(this, this.#subscriptions.add(draft), draft.id);
  }

  #source<T>(method: string, options: SourceOptions, defaultName: string, spec: SourceSpec): DataStream<T> {
    checkObject(options, `${method}: options`);
    const { name = defaultName, uid } = options;
    return this.dataStream<T>({ node: makeSource(this, name, spec, { uid }), tag: undefined });
  }
}

function checkTopic(topic: Topic<unknown, unknown>): void {
  if (typeof topic === 'object' && topic !== null && typeof topic.name === 'string') return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `fromTopic needs a topic made by topic(name), got ${topic === null ? 'null' : typeof topic}; use fromMqTopic for a topic's name`,
    { details: { operation: 'fromTopic' } },
  );
}
