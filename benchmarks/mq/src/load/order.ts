/** What every message carries. As JSON it has {@link ORDER_BYTES} bytes, whatever its number. */
export interface Order {
  readonly id: number;
  readonly customer: string;
  readonly amount: number;
  readonly note: string;
}

export const ORDER_BYTES = 102;

/** Ids have seven digits, all of them. */
const FIRST_ID = 1_000_000;
const LAST_ID = 9_999_999;
const CUSTOMERS = Array.from({ length: 1_000 }, (_, index) => `customer-${1_000 + index}`);
const NOTE = 'please leave it with the neighbours!';

/**
 * @param index from 0
 * @throws RangeError beyond what seven digits can count
 */
export function order(index: number): Order {
  const id = FIRST_ID + index;
  if (id > LAST_ID) throw new RangeError(`a run has ${LAST_ID - FIRST_ID + 1} orders at most`);
  return {
    id,
    customer: CUSTOMERS[index % CUSTOMERS.length] ?? '',
    amount: 10_000 + (index % 90_000),
    note: NOTE,
  };
}

export function orders(first: number, count: number): Order[] {
  return Array.from({ length: count }, (_, index) => order(first + index));
}

export function indexOf({ id }: Order): number {
  return id - FIRST_ID;
}
