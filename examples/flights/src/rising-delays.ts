import { CEP, Pattern } from '@rs/cep';
import type { DataStream, KeyedStream } from '@rs/core';
import type { Flight } from './flight.ts';

/** Three departures in a row at one airport, each with a longer delay than the one before. */
export interface DelayAlert {
  readonly origin: string;
  /** Scheduled departures in epoch milliseconds. */
  readonly times: readonly number[];
  /** Minutes. */
  readonly delays: readonly number[];
}

/** The last delay of an alert is longer than that, in minutes. */
export const ALERT_DELAY = 60;

const risingDelays = Pattern.of<Flight>()
  .begin('first')
  .next('second', ({ delay }, context) => delay > delayOf(context.last('first')))
  .next('third', ({ delay }, context) => delay > ALERT_DELAY && delay > delayOf(context.last('second')))
  .within('3h')
  .skipPastLastEvent();

/**
 * Alerts that do not overlap, for the departures of each airport in the order in which they were scheduled, those of one time in
 * that of the data set. A flight that the watermark has passed takes no part.
 */
export function risingDelaysOf(flights: KeyedStream<string, Flight>): DataStream<DelayAlert> {
  return CEP.pattern(flights, risingDelays, { order: (a, b) => a.row - b.row }).select(
    ({ key, sequence }): DelayAlert => ({
      origin: key,
      times: sequence.map(({ scheduled }) => scheduled),
      delays: sequence.map(({ delay }) => delay),
    }),
    { uid: 'rising-delays' },
  );
}

function delayOf(flight: Flight | undefined): number {
  return flight?.delay ?? Infinity;
}
