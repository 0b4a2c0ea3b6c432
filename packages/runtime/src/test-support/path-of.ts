import type { Place } from '../driver/batched/order.ts';

/** The numbers of a place and of those above it, from the top. */
export function pathOf({ parent, index }: Place): number[] {
  return parent === undefined ? [index] : [...pathOf(parent), index];
}
