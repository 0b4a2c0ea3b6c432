import {
  type DataStream,
  type JobDefinition,
  type StreamEnvironment,
  type StreamSink,
  defineJob,
  outputTag,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { type Delays, collectDelays } from './delays.ts';
import type { Flight } from './flight.ts';
import { type DelayAlert, risingDelaysOf } from './rising-delays.ts';
import { type Windowing, assignerOf } from './windowing.ts';

/** The delays of the flights that leave one airport in one window; times in epoch milliseconds. */
export interface WindowDelays extends Delays {
  readonly origin: string;
  readonly start: number;
  readonly end: number;
}

/** Takes results: a function, or a sink of the engine. */
export type ResultSink<T> = StreamSink<T> | ((result: T) => void);

export interface DelayJobOptions {
  /** Where the flights come from, each partition in the order of their arrival. */
  readonly source: (env: StreamEnvironment) => DataStream<Flight>;
  readonly windowing: Windowing;
  /** Milliseconds by which a flight may arrive after one that was scheduled later, and still be on time. */
  readonly outOfOrderness: number;
  /** The flights of an airport are in one partition already, by the keys of their messages. Default false. */
  readonly colocated?: boolean;
  readonly windows: ResultSink<WindowDelays>;
  /** Takes the flights that every one of their windows has closed on. */
  readonly late: ResultSink<Flight>;
  /** Takes what {@link risingDelaysOf} finds. Default: nothing is looked for. */
  readonly alerts?: ResultSink<DelayAlert>;
}

/** Delays by airport and window of scheduled departure, and alerts where they are wanted. */
export function delayJob(options: DelayJobOptions): JobDefinition {
  const late = outputTag<Flight>('late-flights');
  return defineJob((env) => {
    const flights = options
      .source(env)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness<Flight>(options.outOfOrderness).withTimestampAssigner(
          (flight) => flight.scheduled,
        ),
        { uid: 'scheduled-departures' },
      )
      .keyBy((flight) => flight.origin, { uid: 'by-airport', colocated: options.colocated ?? false });
    const delays = flights
      .window(assignerOf(options.windowing))
      .sideOutputLateData(late)
      .aggregate(
        collectDelays,
        (result, { key, window }): WindowDelays => ({
          origin: key,
          start: window.start,
          end: window.end,
          ...result,
        }),
        { uid: 'delays-by-airport' },
      );
    delays.addSink(options.windows, { uid: 'windows' });
    delays.getSideOutput(late).addSink(options.late, { uid: 'late-flights' });
    if (options.alerts !== undefined) risingDelaysOf(flights).addSink(options.alerts, { uid: 'alerts' });
  });
}
