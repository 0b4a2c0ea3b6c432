/**
 * A text that is the same for equal keys and another one for all others: engines compare keys by value, so
 * `{ a: 1, b: 2 }` and `{ b: 2, a: 1 }` are one key. Only for what is in memory; how engines write keys is their own affair.
 */
export function keyText(key: unknown): string {
  switch (typeof key) {
    case 'string':
      return JSON.stringify(key);
    case 'number':
      return String(key + 0);
    case 'bigint':
      return `${key}n`;
    case 'object':
      return key === null ? 'null' : objectText(key);
    default:
      return String(key);
  }
}

function objectText(key: object): string {
  if (key instanceof Uint8Array) return `bytes ${key.join()}`;
  if (Array.isArray(key)) return `[${key.map(keyText).join()}]`;
  const entries = Object.entries(key).map(([name, part]) => `${JSON.stringify(name)}:${keyText(part)}`);
  return `{${entries.sort().join()}}`;
}
