/** One flight as it arrives. */
export interface Flight {
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
