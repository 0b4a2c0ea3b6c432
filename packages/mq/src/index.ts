// What users of this package need of core: who installs @rs/mq need not know of another package.
export {
  DIAGNOSTICS_CHANNELS,
  RsError,
  isRsError,
  partitionOf,
  topic,
  type Duration,
  type ErrorCode,
  type Logger,
  type Message,
  type StandardSchema,
  type Topic,
} from '@rs/core';

export { createMq, MQ_DEFAULTS, type Mq, type MqOptions } from './mq.ts';
export type { Finding, RedisLike } from '@rs/redis';
export type { Ids, Random } from './random.ts';
export type { TopicInfo } from './topics/topic-info.ts';
export type { EnsureTopicOptions, GrowTopicOptions, TopicLike, Topics } from './topics/topics.ts';
export type { NewMessage, Receipt } from './producer/new-message.ts';
export type { CloseOptions } from './close-options.ts';
export type { WaitOptions } from './checks/signal.ts';
export type { Producer, SendOptions } from './producer/producer.ts';
export { PRODUCER_DEFAULTS, type ProducerOptions } from './producer/producer-options.ts';
export type { MessageCodec } from './codec/codec.ts';
export { bytesCodec } from './codec/bytes-codec.ts';
export { jsonCodec } from './codec/json-codec.ts';
export { msgpackCodec } from './codec/msgpack-codec.ts';
export { textCodec } from './codec/text-codec.ts';
export { outcome, type HandlerResult, type MessageResult, type Outcome } from './consumer/outcome.ts';
export type {
  CloseReport,
  Consumer,
  ConsumerOptions,
  ConsumerStatus,
  PartitionState,
  PartitionStatus,
} from './consumer/consumer.ts';
export { CONSUMER_DEFAULTS } from './consumer/options/consumer.ts';
export { BATCH_DEFAULTS } from './consumer/options/batch.ts';
export { SUBSCRIPTION_DEFAULTS } from './consumer/options/subscription.ts';
export type {
  AsyncMessageHandler,
  BatchContext,
  BatchHandler,
  BatchResult,
  HandlerContext,
  MessageHandler,
} from './consumer/handler.ts';
export type { DeadReason } from './consumer/lane/settle-batch.ts';
export type { DeadLetter, DeadLetterBytes, DeadLetterError, DeadLetterIssue } from './dlq/dead-letter.ts';
export type {
  DeadLetterFilter,
  ListDeadLettersOptions,
  RemoveDeadLettersOptions,
  ReplayDeadLettersOptions,
  SummarizeDeadLettersOptions,
} from './dlq/dead-letter-options.ts';
export type { DeadLetterCount, DeadLetters, ReplayReport } from './dlq/dead-letters.ts';
export type { DeadLetterCause, DeadLetterSummary } from './dlq/summary.ts';
export type {
  BatchOptions,
  ConsumerSubscriptionOptions,
  Ordering,
  RetryOptions,
  StartPosition,
} from './consumer/subscription-options.ts';

// For engines, which keep to the formats of this package. No part of its public API: it may change in any release.
/** @internal */
export { assign } from './consumer/assignment/assign.ts';
/** @internal */
export { codecsOf, type Codecs } from './codec/codecs.ts';
/** @internal */
export { compareIds } from './consumer/position/entry-id.ts';
/** @internal */
export { decodeEnvelope } from './envelope/decode-envelope.ts';
/** @internal */
export { encodeEnvelope } from './envelope/encode-envelope.ts';
/** @internal */
export { envelopeOf } from './envelope/envelope-of.ts';
/** @internal */
export type { Envelope } from './envelope/envelope.ts';
/** @internal */
export { describeError } from './consumer/retry/error-signature.ts';
/** @internal */
export { reportOf, undecodableReportOf } from './consumer/retry/error-report.ts';
/** @internal */
export { backoffDelay } from './consumer/retry/backoff.ts';
/** @internal */
export { Doorbell, type Listener } from './consumer/engine/doorbell.ts';
/** @internal */
export { Waiter } from './time/waiter.ts';
/** @internal */
export { systemTimers, type Timers } from './time/timers.ts';
/** @internal */
export { TopicDirectory } from './topics/topic-directory.ts';
/** @internal */
export { TopicStore } from './topics/topic-store.ts';
/** @internal */
export { unknownTopic } from './topics/topic-info.ts';
/** @internal */
export { checkChoice, checkFunction, checkPositiveInteger, refused } from './checks/checks.ts';
/** @internal */
export { checkKnown } from './checks/known-options.ts';
/** @internal */
export { checkSignal, waitSignal } from './checks/signal.ts';
/** @internal */
export { closeTimeout } from './close-options.ts';
/** @internal */
export { leaseTimes, type LeaseTimes } from './consumer/engine/lease-times.ts';
/** @internal */
export { checkLogger, guardedLogger } from './guarded-logger.ts';
/** @internal */
export { groupOfJob } from './consumer/group-of-job.ts';
/** @internal */
export { hostName } from './host-name.ts';
/** @internal */
export { systemIds } from './random.ts';
/** @internal */
export { ServerCheck } from './server-check.ts';
/** @internal */
export { abortable } from './time/abortable.ts';
