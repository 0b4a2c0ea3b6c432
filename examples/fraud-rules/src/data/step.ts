/** What happens, before it is known when it arrives and whether a country is new. */
export type Action =
  | { readonly kind: 'login'; readonly country: string }
  | { readonly kind: 'password-change' }
  | { readonly kind: 'confirmation' }
  | { readonly kind: 'payment'; readonly cents: number };

export interface Step {
  /** Milliseconds. */
  readonly at: number;
  readonly action: Action;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const login = (country: string): Action => ({ kind: 'login', country });
export const passwordChange: Action = { kind: 'password-change' };
export const confirmation: Action = { kind: 'confirmation' };
export const pay = (cents: number): Action => ({ kind: 'payment', cents: Math.round(cents) });
