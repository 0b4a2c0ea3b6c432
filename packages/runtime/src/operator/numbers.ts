import { type AggregateFunction, type NumberField, RsError } from '@rs/core';

export type Numeric = number | bigint;

/** Reads the number of a record; without a field the record itself must be one. */
export function readNumber<T>(value: T, field: NumberField<T> | undefined): Numeric | undefined {
  const read: unknown = field === undefined ? value : field(value);
  if (typeof read === 'number' || typeof read === 'bigint') return read;
  if (field !== undefined && (read === null || read === undefined)) return undefined;
  throw new RsError(
    'RS_INVALID_VALUE',
    `expected a number or bigint, got ${read === null ? 'null' : typeof read}; pass a field selector such as (order) => order.amount`,
  );
}

/** Operations on two numbers of one kind; numbers and bigints are never mixed, since that would lose digits. */
export const NUMERIC = {
  sum: (a: Numeric, b: Numeric): Numeric => {
    if (typeof a === 'number' && typeof b === 'number') return a + b;
    if (typeof a === 'bigint' && typeof b === 'bigint') return a + b;
    throw mixed();
  },
  min: (a: Numeric, b: Numeric): Numeric => {
    if (typeof a !== typeof b) throw mixed();
    return b < a ? b : a;
  },
  max: (a: Numeric, b: Numeric): Numeric => {
    if (typeof a !== typeof b) throw mixed();
    return b > a ? b : a;
  },
};

/** A sum as an accumulator: `null` until there is a number. */
export function sumAggregate<T>(
  field: NumberField<T> | undefined,
): AggregateFunction<T, Numeric | null, Numeric> {
  const add = (a: Numeric | null, b: Numeric | null): Numeric | null => {
    if (a === null) return b;
    return b === null ? a : NUMERIC.sum(a, b);
  };
  return {
    createAccumulator: () => null,
    add: (value, accumulator) => add(accumulator, readNumber(value, field) ?? null),
    getResult: (accumulator) => accumulator ?? 0,
    merge: add,
  };
}

export function countAggregate<T>(): AggregateFunction<T, number, number> {
  return {
    createAccumulator: () => 0,
    add: (_value, count) => count + 1,
    getResult: (count) => count,
    merge: (a, b) => a + b,
  };
}

function mixed(): RsError {
  return new RsError(
    'RS_INVALID_VALUE',
    'numbers and bigints cannot be combined; convert the field to one of them',
  );
}
