/** One record as it comes; the event time travels beside it. */
export interface Reading {
  readonly sensor: string;
  readonly value: number;
}

/** What the map makes of a record. */
export interface Doubled {
  readonly sensor: string;
  readonly doubled: number;
}

export const KEYS = 1_000;
export const WINDOW_MS = 60_000;

const SENSORS = Array.from({ length: KEYS }, (_, index) => `sensor-${index}`);

/** The record with number `index`, whose event time is `index` ms; the same in every run, keys and values scattered. */
export function reading(index: number): Reading {
  const scattered = Math.imul(index, 2_654_435_761) >>> 0;
  return { sensor: SENSORS[scattered % KEYS] ?? '', value: (scattered >>> 12) & 255 };
}

/** Half of the records pass. */
export function isEven({ value }: Reading): boolean {
  return value % 2 === 0;
}

export function double({ sensor, value }: Reading): Doubled {
  return { sensor, doubled: value * 2 };
}
