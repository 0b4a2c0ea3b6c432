import { type Codec, type MapState, type MapStateDescriptor, type OpenContext, mapState } from '@rs/core';

type StateContext = Pick<OpenContext, 'state'>;

/**
 * The events of a key that the watermark has not reached yet. Each event time has places from 0 on without gaps, so that they are
 * found without looking at others.
 */
export class EventBuffer<T> {
  readonly #descriptor: MapStateDescriptor<string, T>;

  constructor(codec: Codec<T> | undefined) {
    this.#descriptor = mapState('cep.buffer', codec === undefined ? {} : { codec });
  }

  declare(ctx: OpenContext): void {
    ctx.state(this.#descriptor);
  }

  /** Returns whether it is the first one at that time. */
  add(ctx: StateContext, event: T, timestamp: number): boolean {
    const events = ctx.state(this.#descriptor);
    const index = countAt(events, timestamp);
    events.put(placeOf(timestamp, index), event);
    return index === 0;
  }

  has(ctx: StateContext, timestamp: number): boolean {
    return ctx.state(this.#descriptor).contains(placeOf(timestamp, 0));
  }

  /** The events of a time in the order of their arrival; they are no longer there then. */
  take(ctx: StateContext, timestamp: number): T[] {
    const state = ctx.state(this.#descriptor);
    const events: T[] = [];
    for (let index = 0; state.contains(placeOf(timestamp, index)); index++) {
      // What a codec makes of it may be undefined.
      events.push(state.get(placeOf(timestamp, index)) as T);
      state.remove(placeOf(timestamp, index));
    }
    return events;
  }
}

/** In a number of looks that grows with the logarithm of the number. */
function countAt<T>(events: MapState<string, T>, timestamp: number): number {
  let [from, to] = [0, 1];
  while (events.contains(placeOf(timestamp, to - 1))) [from, to] = [to, to * 2];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (events.contains(placeOf(timestamp, middle))) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** An event time, and which of the events that have it. A text is the cheapest key. */
function placeOf(timestamp: number, index: number): string {
  return `${timestamp}/${index}`;
}
