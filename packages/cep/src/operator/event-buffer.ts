import { type Codec, type MapState, type MapStateDescriptor, type OpenContext, mapState } from '@rs/core';
import { opened } from './opened.ts';

/** An event time, and which of the events that have it. */
type Place = readonly [timestamp: number, index: number];

/**
 * The events of a key that the watermark has not reached yet. Each event time has places from 0 on without gaps, so that they are
 * found without looking at others.
 */
export class EventBuffer<T> {
  readonly #descriptor: MapStateDescriptor<Place, T>;
  #events: MapState<Place, T> | undefined;

  constructor(codec: Codec<T> | undefined) {
    this.#descriptor = mapState('cep.buffer', codec === undefined ? {} : { codec });
  }

  declare(ctx: OpenContext): void {
    this.#events = ctx.state(this.#descriptor);
  }

  /** Returns whether it is the first one at that time. */
  add(event: T, timestamp: number): boolean {
    const index = this.#countAt(timestamp);
    this.#state.put([timestamp, index], event);
    return index === 0;
  }

  has(timestamp: number): boolean {
    return this.#state.contains([timestamp, 0]);
  }

  /** The events of a time in the order of their arrival; they are no longer there then. */
  take(timestamp: number): T[] {
    const events: T[] = [];
    for (let index = 0; ; index++) {
      const event = this.#state.get([timestamp, index]);
      if (event === undefined) return events;
      events.push(event);
      this.#state.remove([timestamp, index]);
    }
  }

  /** In a number of looks that grows with the logarithm of the number. */
  #countAt(timestamp: number): number {
    let [from, to] = [0, 1];
    while (this.#state.contains([timestamp, to - 1])) [from, to] = [to, to * 2];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (this.#state.contains([timestamp, middle])) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  get #state(): MapState<Place, T> {
    return opened(this.#events);
  }
}
