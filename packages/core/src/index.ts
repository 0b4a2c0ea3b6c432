export { ERROR_CODES, type ErrorCode } from './errors/codes.ts';
export type { ErrorJson } from './errors/error-json.ts';
export { RsError, isRsError, type RsErrorOptions } from './errors/rs-error.ts';

export {
  durationToMillis,
  positiveDurationToMillis,
  type Duration,
  type DurationUnit,
} from './time/duration.ts';
export { MAX_TIMESTAMP, MIN_TIMESTAMP, checkTimestamp } from './time/timestamp.ts';
export { systemClock, type Clock } from './time/clock.ts';
export { silentLogger, type Logger } from './logger.ts';
export { DIAGNOSTICS_CHANNELS, type DiagnosticsChannelName } from './diagnostics.ts';
export { checkName } from './names.ts';
export { checkObject } from './check-object.ts';
export { ownValue } from './own-value.ts';
export type { Message } from './topic/message.ts';
export { partitionOf } from './topic/partition-of.ts';
export type { SubscriptionOptions } from './topic/subscription-options.ts';
export { topic, type Topic, type TopicOptions } from './topic/topic.ts';
export type { MaybePromise } from './maybe-promise.ts';
export type {
  SchemaInput,
  SchemaOutput,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './standard-schema.ts';

export { checkCodec, type Codec } from './state/codec.ts';
export { jsonCodec } from './state/json-codec.ts';
export {
  aggregatingState,
  reducingState,
  type AggregatingStateDescriptor,
  type AggregatingStateOptions,
  type ReducingStateDescriptor,
  type ReducingStateOptions,
} from './state/accumulating.ts';
export type { StateOptions } from './state/descriptor-base.ts';
export {
  largeMapState,
  listState,
  mapState,
  setState,
  valueState,
  type LargeMapStateDescriptor,
  type ListStateDescriptor,
  type MapStateDescriptor,
  type SetStateDescriptor,
  type StateDescriptor,
  type StateKind,
  type StateOf,
  type ValueStateDescriptor,
  type ValueStateOptions,
} from './state/descriptor.ts';
export type {
  AggregatingState,
  LargeMapState,
  ListState,
  MapState,
  ReadonlyMapState,
  ReducingState,
  SetState,
  State,
  ValueState,
} from './state/state.ts';

export type {
  IdleMode,
  Idleness,
  TimestampAssigner,
  TimestampsAndWatermarks,
  WatermarkGenerator,
  WatermarkOutput,
  WatermarkValue,
} from './watermark/generator.ts';
export type { Window } from './window/window.ts';
export type { Evictor, EvictorContext, TimestampedElement } from './window/evictor.ts';
export type { MergeableStateDescriptor, Trigger, TriggerContext, TriggerResult } from './window/trigger.ts';
export type { AlignedWindows, TimeDomain, WindowAssigner } from './window/assigner.ts';

export { outputTag, type OutputTag } from './output-tag.ts';
export type {
  AsyncCallContext,
  AsyncMapFunction,
  AsyncRetryOptions,
  MapAsyncOptions,
} from './function/async.ts';
export type {
  Collector,
  OpenContext,
  ProcessContext,
  TimeContext,
  WindowContext,
} from './function/context.ts';
export type {
  AggregateFunction,
  FilterFunction,
  FlatMapFunction,
  KeyedProcessFunction,
  KeySelector,
  MapFunction,
  NumberField,
  NumberOf,
  ProcessElementFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SumOf,
  WindowFunction,
  WindowResultFunction,
} from './function/functions.ts';
export type {
  CoElementFunction,
  CoProcessContext,
  CoProcessFunction,
  KeyedCoElementFunction,
  KeyedCoProcessFunction,
} from './function/co-process.ts';
export type {
  BroadcastContext,
  BroadcastElementFunction,
  BroadcastProcessFunction,
  BroadcastReadContext,
  KeyedBroadcastProcessFunction,
  KeyedBroadcastReadContext,
} from './function/broadcast-process.ts';
export type { CogroupFunction, ProcessCogroupFunction } from './function/cogroup.ts';
export type { SourceContext, StreamSource } from './io/source.ts';
export type {
  CheckpointAwareSink,
  DeliveryGuarantee,
  IdempotentRecord,
  StreamSink,
  TwoPhaseCommitSink,
} from './io/sink.ts';
export { isTopicSink, toTopic, type TopicSink, type TopicSinkOptions } from './io/topic-sink.ts';
export type { Checkpoint, CheckpointCoordinator, CheckpointStorage } from './checkpoint.ts';

export type {
  AccumulatorOptions,
  KeyByOptions,
  LatenessMode,
  LatenessOptions,
  OperatorOptions,
  StatefulOptions,
} from './stream/options.ts';
export type { DataStream } from './stream/data-stream.ts';
export type { KeyedStream } from './stream/keyed-stream.ts';
export type { KeyedStates } from './stream/keyed-states.ts';
export type { WindowedStream } from './stream/windowed-stream.ts';
export type { ConnectedStreams, KeyedConnectedStreams } from './stream/connected-streams.ts';
export type { CogroupedStreams, CogroupedWindows, CogroupOptions } from './stream/cogrouped-streams.ts';
export type {
  BroadcastConnectedStreams,
  BroadcastStream,
  KeyedBroadcastConnectedStreams,
} from './stream/broadcast-stream.ts';
export type { SourceOptions, StreamEnvironment } from './job/environment.ts';
export { defineJob, type JobDefinition } from './job/job-definition.ts';
