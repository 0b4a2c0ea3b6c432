import { inspect } from 'node:util';

/** A value as one line. Equal texts mean equal values: types, classes, −0 and `undefined` show. */
export function valueText(value: unknown): string {
  return inspect(value, {
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: Infinity,
    compact: true,
    sorted: true,
  });
}
