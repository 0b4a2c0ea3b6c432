import { type Clock, RsError, checkTimestamp, systemClock } from '@rs/core';

/**
 * Events in an order, with the times of the first and the last. The list is copied on its way in and out.
 *
 * An instance of a class, which codecs refuse: map it to plain data before it goes to a topic, an exchange or a state.
 */
export class EventSequence<T> {
  /** Epoch milliseconds. */
  readonly startTime: number;
  /** Epoch milliseconds. Before `startTime` when events came out of order. */
  readonly endTime: number;
  readonly #events: T[];

  /**
   * @param startTime given together with `endTime`; without them both are now
   * @throws RsError `RS_INVALID_ARGUMENT` for only one of the times, `RS_INVALID_TIMESTAMP`
   */
  constructor(
    events: Iterable<T> = [],
    startTime?: number,
    endTime?: number,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    if ((startTime === undefined) !== (endTime === undefined)) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        'EventSequence takes a start and an end time, or none of both for now',
        { details: { startTime, endTime } },
      );
    }
    const now = startTime === undefined ? clock.now() : 0;
    this.startTime = checkTimestamp(startTime ?? now, 'EventSequence: startTime');
    this.endTime = checkTimestamp(endTime ?? now, 'EventSequence: endTime');
    this.#events = [...events];
  }

  /** A copy. */
  get events(): T[] {
    return [...this.#events];
  }

  /** `null` when there is none. */
  get first(): T | null {
    return this.#events[0] ?? null;
  }

  /** `null` when there is none. */
  get last(): T | null {
    return this.#events.at(-1) ?? null;
  }

  get size(): number {
    return this.#events.length;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** `endTime − startTime` in milliseconds; negative when events came out of order. */
  get duration(): number {
    return this.endTime - this.startTime;
  }

  /** Appends an event. The times stay as they are. */
  addEvent(event: T): void {
    this.#events.push(event);
  }

  /** What `JSON.stringify` writes. */
  toJSON(): { events: T[]; startTime: number; endTime: number } {
    return { events: this.events, startTime: this.startTime, endTime: this.endTime };
  }
}
