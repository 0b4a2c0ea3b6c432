type Place = readonly [time: number, key: string];

/** The order in which what is due at once fires in a partition. */
export function byTimeAndKey([time, key]: Place, [otherTime, otherKey]: Place): number {
  return time - otherTime || (key < otherKey ? -1 : key > otherKey ? 1 : 0);
}
