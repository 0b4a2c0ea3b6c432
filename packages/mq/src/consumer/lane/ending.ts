import type { RsError } from '@rs/core';
import type { Outcome } from '../outcome.ts';

/**
 * How a call of a handler ended: with what it decided, with a failure (thrown, timed out, an answer that is none), or with a
 * message that it could not be called for.
 */
export type Ending =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'undecodable'; readonly error: RsError };

export const SUCCESS: Ending = { type: 'outcome', outcome: { type: 'success' } };
