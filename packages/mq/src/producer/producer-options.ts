import { type Duration, checkObject, durationToMillis, positiveDurationToMillis } from '@rs/core';
import { checkPositiveInteger, refused } from '../checks/checks.ts';
import { checkKnown } from '../checks/known-options.ts';
import { type MessageCodec, checkMessageCodec } from '../codec/codec.ts';
import type { Codecs } from '../codec/codecs.ts';
import { jsonCodec } from '../codec/json-codec.ts';

export interface ProducerOptions {
  /** Writes the values. Consumers read with the codec that a message names. Default `jsonCodec()`. */
  readonly codec?: MessageCodec;
  /**
   * How long a message waits for others to share its batch. With 0, a batch is what was sent in one turn of the event loop
   * and what gathered while the batch before it was under way. More makes larger batches, and every message later. Default 0.
   */
  readonly linger?: Duration;
  /**
   * Messages of a batch at most, up to 10,000. Redis serves nobody else while it appends a batch: about 1 ms for 256. Default 256.
   */
  readonly maxBatch?: number;
  /** Bytes of a batch at most; a larger message is a batch by itself. Default 1 MiB. */
  readonly maxBatchBytes?: number;
  /** Bytes of a message at most, key and headers included, up to 512 MiB; a larger one is refused. Default 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Messages that are accepted and not yet confirmed. Beyond it `send` waits before it accepts another. Default 10,000. */
  readonly maxPending?: number;
  /** Bytes of them, as `maxPending`; a single message may exceed it. Default 64 MiB. */
  readonly maxPendingBytes?: number;
  /**
   * How long after it was accepted a message may be unconfirmed, while Redis is away or refuses; then it is rejected, and whether it
   * was written is not known if it was under way. Up to 30 min. Longer rides out longer outages and holds memory for it. Default 2 min.
   */
  readonly deliveryTimeout?: Duration;
}

/** Every default of producers. */
export const PRODUCER_DEFAULTS = {
  linger: 0,
  maxBatch: 256,
  maxBatchBytes: 1024 * 1024,
  maxMessageBytes: 16 * 1024 * 1024,
  maxPending: 10_000,
  maxPendingBytes: 64 * 1024 * 1024,
  deliveryTimeout: '2m',
} as const satisfies ProducerOptions;

/** Options with everything in it, durations in milliseconds. */
export interface ProducerSettings {
  readonly codec: MessageCodec;
  readonly linger: number;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly maxMessageBytes: number;
  readonly maxPending: number;
  readonly maxPendingBytes: number;
  readonly deliveryTimeout: number;
}

const WHERE = 'producer';
const MAX_BATCH = 10_000;
/** Redis takes no larger argument unless it is told to. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;
/** Half of the time after which `produce.lua` may forget a producer: what is sent again must find it. */
const MAX_DELIVERY_TIMEOUT = 30 * 60_000;

const KNOWN = ['codec', ...Object.keys(PRODUCER_DEFAULTS)];

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function producerSettings(options: ProducerOptions, codecs: Codecs): ProducerSettings {
  checkObject(options, `${WHERE}: options`);
  checkKnown(options, KNOWN, WHERE);
  const {
    codec = jsonCodec(),
    linger = PRODUCER_DEFAULTS.linger,
    maxBatch = PRODUCER_DEFAULTS.maxBatch,
    maxBatchBytes = PRODUCER_DEFAULTS.maxBatchBytes,
    maxMessageBytes = PRODUCER_DEFAULTS.maxMessageBytes,
    maxPending = PRODUCER_DEFAULTS.maxPending,
    maxPendingBytes = PRODUCER_DEFAULTS.maxPendingBytes,
    deliveryTimeout = PRODUCER_DEFAULTS.deliveryTimeout,
  } = options;
  checkCodec(codec, codecs);
  for (const [name, value] of Object.entries({
    maxBatch,
    maxBatchBytes,
    maxMessageBytes,
    maxPending,
    maxPendingBytes,
  })) {
    checkPositiveInteger(value, `${WHERE}: ${name}`);
  }
  if (maxBatch > MAX_BATCH) throw refused(`${WHERE}: maxBatch`, `at most ${MAX_BATCH}`, maxBatch);
  if (maxMessageBytes > MAX_MESSAGE_BYTES) {
    throw refused(`${WHERE}: maxMessageBytes`, `at most ${MAX_MESSAGE_BYTES} (512 MiB)`, maxMessageBytes);
  }
  const lasts = positiveDurationToMillis(deliveryTimeout, `${WHERE}: deliveryTimeout`);
  if (lasts > MAX_DELIVERY_TIMEOUT)
    throw refused(`${WHERE}: deliveryTimeout`, 'at most 30m', deliveryTimeout);
  return {
    codec,
    linger: durationToMillis(linger, `${WHERE}: linger`),
    maxBatch,
    maxBatchBytes,
    maxMessageBytes,
    maxPending,
    maxPendingBytes,
    deliveryTimeout: lasts,
  };
}

function checkCodec(codec: MessageCodec, codecs: Codecs): void {
  checkMessageCodec(codec, `${WHERE}: codec`);
  if (codecs.has(codec.name)) return;
  throw refused(
    `${WHERE}: codec`,
    `one that consumers find by its name; give it to createMq({ codecs }) too, there and here`,
    codec.name,
  );
}
