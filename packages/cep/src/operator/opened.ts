import { RsError } from '@rs/core';

/** A state of a function that was opened. */
export function opened<V>(state: V | undefined): V {
  if (state !== undefined) return state;
  throw new RsError(
    'RS_STATE_UNDECLARED',
    'PatternProcessFunction was called before open; hand it to keyed.process, or call open(ctx) first',
  );
}
