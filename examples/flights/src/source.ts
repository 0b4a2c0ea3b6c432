import { type DataStream, type StreamEnvironment, topic } from '@rs/core';
import type { MemoryTopics } from '@rs/runtime-memory';
import { type Flight, actualDeparture } from './flight.ts';

export type FlightSource = (env: StreamEnvironment) => DataStream<Flight>;

export const FLIGHTS = topic<Flight>('flights');

export function collectionSource(flights: readonly Flight[]): FlightSource {
  return (env) => env.fromCollection(flights);
}

/**
 * Sends the flights to a topic, in their order, as messages of their destination. A job that wants them by origin has to bring
 * them together again.
 */
export function topicSource(
  topics: MemoryTopics,
  flights: readonly Flight[],
  partitions: number,
): FlightSource {
  topics.create(FLIGHTS, { partitions });
  for (const flight of flights) {
    topics.send(FLIGHTS, { key: flight.destination, value: flight, timestamp: actualDeparture(flight) });
  }
  return storedFlights;
}

/** What the topic holds when the job starts. */
export function storedFlights(env: StreamEnvironment): DataStream<Flight> {
  return env.fromTopic(FLIGHTS, 'delays', { until: 'now' });
}
