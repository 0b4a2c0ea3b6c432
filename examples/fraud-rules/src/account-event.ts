interface Happening {
  readonly id: string;
  readonly account: string;
  /** When it happened, in epoch milliseconds. It arrives some seconds later. */
  readonly at: number;
}

export interface Login extends Happening {
  readonly kind: 'login';
  /** ISO 3166 code of where it came from. */
  readonly country: string;
  /** The account had never been used from there. */
  readonly newCountry: boolean;
}

export interface PasswordChange extends Happening {
  readonly kind: 'password-change';
}

/** The owner says on another way, such as an app, that it was him. */
export interface Confirmation extends Happening {
  readonly kind: 'confirmation';
}

export interface Payment extends Happening {
  readonly kind: 'payment';
  readonly cents: number;
}

/** What happens to an account. */
export type AccountEvent = Login | PasswordChange | Confirmation | Payment;

export const isLogin = (event: AccountEvent): event is Login => event.kind === 'login';
export const isPasswordChange = (event: AccountEvent): event is PasswordChange =>
  event.kind === 'password-change';
export const isConfirmation = (event: AccountEvent): event is Confirmation => event.kind === 'confirmation';
export const isPayment = (event: AccountEvent): event is Payment => event.kind === 'payment';

/** Orders what happens to an account; ids are given in the order of happening. */
export function byTime(a: AccountEvent, b: AccountEvent): number {
  return a.at - b.at || byId(a, b);
}

/** Orders what happens in the same millisecond. */
export function byId(a: AccountEvent, b: AccountEvent): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
