import { RsError } from '@rs/core';
import { readDataset } from './dataset.ts';
import { type Flight, actualDeparture } from './flight.ts';

const DATE = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2})$/;

/** The flights of the data set in the order in which they arrive. */
export async function loadFlights(): Promise<Flight[]> {
  return inArrivalOrder(parseFlights(await readDataset('flights-20k.json')));
}

/**
 * Reads the data set's JSON; its dates are taken as UTC.
 *
 * @throws RsError `RS_INVALID_VALUE` naming the row when a row is not a flight
 */
export function parseFlights(text: string): Flight[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new RsError('RS_INVALID_VALUE', 'the flights are not a JSON array');
  return rows.map(toFlight);
}

/** By scheduled departure + delay, so that a delayed flight arrives behind later ones; ties keep their order. */
export function inArrivalOrder(flights: readonly Flight[]): Flight[] {
  return [...flights].sort((a, b) => actualDeparture(a) - actualDeparture(b));
}

function toFlight(value: unknown, row: number): Flight {
  const { date, delay, distance, origin, destination } = (value ?? {}) as Record<string, unknown>;
  const scheduled = typeof date === 'string' ? parseDate(date) : undefined;
  if (
    scheduled === undefined ||
    !isInteger(delay) ||
    !isInteger(distance) ||
    !isCode(origin) ||
    !isCode(destination)
  ) {
    throw new RsError(
      'RS_INVALID_VALUE',
      `row ${row} of the flights is no flight: ${JSON.stringify(value)}`,
      {
        details: { index: row, row: value },
      },
    );
  }
  return { row, scheduled, delay, distance, origin, destination };
}

function parseDate(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:00.000Z`;
  const millis = Date.parse(iso);
  // A day that does not exist, such as February 30, is either refused or moved to another date.
  return Number.isNaN(millis) || new Date(millis).toISOString() !== iso ? undefined : millis;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
