const MINUTE_MS = 60_000;

/** One flight as it arrives. */
export interface Flight {
  /** Row of the data set, from 0. */
  readonly row: number;
  /** Scheduled departure in epoch milliseconds; the event time. */
  readonly scheduled: number;
  /** Minutes; negative when the flight was early. */
  readonly delay: number;
  /** Miles. */
  readonly distance: number;
  /** IATA code of the airport of departure. */
  readonly origin: string;
  /** IATA code of the airport of arrival. */
  readonly destination: string;
}

/** When the flight really left, which is when it arrives in the stream; epoch milliseconds. */
export function actualDeparture({ scheduled, delay }: Flight): number {
  return scheduled + delay * MINUTE_MS;
}
