import type { TimeDomain } from '@rs/core';

/** Text such as `sliding(60000, 10000, offset 5000, processing time)`: only what is not the default is named. */
export function describeAssigner(
  kind: string,
  lengths: readonly number[],
  options: { readonly time: TimeDomain; readonly offset?: number; readonly touching?: string },
): string {
  const parts = lengths.map(String);
  if (options.offset !== undefined && options.offset !== 0) parts.push(`offset ${options.offset}`);
  if (options.touching === 'merge') parts.push('touching merge');
  if (options.time === 'processing') parts.push('processing time');
  return `${kind}(${parts.join(', ')})`;
}
