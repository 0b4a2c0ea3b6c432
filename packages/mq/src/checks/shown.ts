/** How messages show what was received: texts in quotes, so that `'2'` is not taken for 2. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
