const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** The shortest text for a length of time, such as `90m`. */
export function formatDuration(millis: number): string {
  if (millis === 0) return '0';
  const unit = UNITS.find(([, length]) => millis % length === 0);
  return unit === undefined ? `${millis}ms` : `${millis / unit[1]}${unit[0]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 flight`, `2 flights`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
