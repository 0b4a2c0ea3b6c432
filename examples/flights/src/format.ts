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

/** Day and times of departures that follow on each other, in UTC: `2001-03-04 17:05, 17:40, 18:10`. */
export function formatDepartures(times: readonly number[]): string {
  const [first = '', ...others] = times.map((time) => new Date(time).toISOString().slice(0, 16));
  return [first.replace('T', ' '), ...others.map((text) => text.slice(11))].join(', ');
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 flight`, `2 flights`. */
export function formatCountOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}
