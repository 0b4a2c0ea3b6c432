/** What every record carries. As JSON it has {@link PAYMENT_BYTES} bytes, whatever its number. */
export interface Payment {
  /** The key, of 16 bytes. */
  readonly customer: string;
  readonly amount: number;
  /** Event time in epoch milliseconds. */
  readonly at: number;
  readonly note: string;
}

export const PAYMENT_BYTES = 100;

/** Payments are a millisecond apart, from the beginning of a minute on. */
const FIRST_AT = 1_700_000_040_000;
const NOTE = 'please call me beforehand';

/** The payment with number `index`, from 0; the same in every run, its customer one of `customers`, scattered. */
export function payment(index: number, customers: number): Payment {
  const scattered = scatter(index);
  return {
    customer: `customer-${String(scattered % customers).padStart(7, '0')}`,
    amount: 10_000 + (scattered >>> 16),
    at: FIRST_AT + index,
    note: NOTE,
  };
}

export function* payments(count: number, customers: number): Generator<Payment> {
  for (let index = 0; index < count; index++) yield payment(index, customers);
}

/** The last step of MurmurHash3: neighbours come to lie far apart. */
function scatter(index: number): number {
  let hash = Math.imul(index ^ (index >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
