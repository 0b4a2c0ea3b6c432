import type { DataStream, StreamEnvironment, StreamSource } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';

/** A record with its event time. */
export interface At<T> {
  readonly at: number;
  readonly value: T;
}

/** Records of key `key`, each with its event time as value. */
export function times(key: string, ...timestamps: readonly number[]): At<string>[] {
  return timestamps.map((at) => ({ at, value: key }));
}

/** A source of records with event times. */
export function timedSource<T>(records: readonly At<T>[]): StreamSource<T> {
  return {
    run: (ctx) => {
      for (const { at, value } of records) void ctx.collectWithTimestamp(value, at);
    },
  };
}

/** A stream of such records whose watermark is the highest event time − `outOfOrderness` − 1. */
export function timed<T>(
  env: StreamEnvironment,
  records: readonly At<T>[],
  outOfOrderness = 0,
): DataStream<T> {
  return env
    .addSource(timedSource(records))
    .assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(outOfOrderness));
}
