import type { RsError } from '@rs/core';
import type { RedisNode } from '../driver/driver.ts';

/**
 * What an error reply asks of the client. Nothing was executed for any of them but `final`, so that also those calls are
 * sent again that are not resendable.
 *
 * * `moved`: another node serves the slot from now on · `ask`: another node serves this one call
 * * `again`: the server cannot at the moment · `elsewhere`: this server cannot, since it is no master (any more)
 * * `final`: the caller has to know
 */
export type Refusal =
  | { readonly kind: 'again' | 'elsewhere' | 'final' }
  | { readonly kind: 'moved' | 'ask'; readonly slot: number; readonly node: RedisNode };

/**
 * Redis checks OOM, MISCONF and NOREPLICAS at the first write of a script and lets a script that has written go on, so that
 * these too mean that nothing was done.
 */
const KINDS: ReadonlyMap<unknown, 'again' | 'elsewhere'> = new Map([
  ['NOSCRIPT', 'again'],
  ['TRYAGAIN', 'again'],
  ['CLUSTERDOWN', 'again'],
  ['LOADING', 'again'],
  ['BUSY', 'again'],
  ['OOM', 'again'],
  ['MISCONF', 'again'],
  ['NOREPLICAS', 'again'],
  ['MASTERDOWN', 'elsewhere'],
  ['READONLY', 'elsewhere'],
]);

/**
 * @param error of `replyError`
 * @param from the node that replied: it stands for an endpoint without a host
 */
export function refusalOf(error: RsError, from: RedisNode): Refusal {
  const { prefix, slot, host, port } = error.details;
  if (typeof slot === 'number' && typeof port === 'number') {
    const node = { host: knownHost(host) ?? from.host, port };
    return { kind: prefix === 'ASK' ? 'ask' : 'moved', slot, node };
  }
  return { kind: KINDS.get(prefix) ?? 'final' };
}

/** A node that does not know its own name announces "" or, where it is told to announce host names, "?". */
export function knownHost(host: unknown): string | undefined {
  return typeof host === 'string' && host !== '' && host !== '?' ? host : undefined;
}
