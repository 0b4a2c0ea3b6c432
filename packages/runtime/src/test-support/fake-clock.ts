import type { Clock } from '@rs/core';

/** A clock that a test moves by hand. */
export class FakeClock implements Clock {
  time: number;

  constructor(time = 0) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }
}
