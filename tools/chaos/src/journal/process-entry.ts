import type { Stamped } from './journal.ts';

/** What every process writes down. */
export type ProcessEntry = Stamped &
  (
    | { readonly type: 'hello' }
    /** The event loop stood still for so long. */
    | { readonly type: 'lag'; readonly millis: number }
  );
