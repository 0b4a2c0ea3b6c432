export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 order`, `2 orders`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function formatList(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `no partition`, `partition 1`, `partitions 1 and 2`. */
export function formatPartitions(partitions: readonly number[]): string {
  if (partitions.length === 0) return 'no partition';
  return `partition${partitions.length === 1 ? '' : 's'} ${formatList(partitions)}`;
}

export function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

export function formatDollars(cents: number): string {
  return `$${formatCount(Math.round(cents / 100))}`;
}
