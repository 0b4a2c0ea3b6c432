/** What a proxy does to everything that passes, until it is told otherwise. */
export type Fault =
  /** Nothing. */
  | { readonly kind: 'none' }
  /** All bytes arrive this many milliseconds late, in order. */
  | { readonly kind: 'delay'; readonly millis: number }
  /** No more bytes than this arrive in a second, each way of each connection: a slow network. */
  | { readonly kind: 'limit'; readonly bytesPerSecond: number }
  /** Connections stand, and nothing arrives on them: a half-open network. Which way: to the server, to the client or both. */
  | { readonly kind: 'swallow'; readonly what: 'requests' | 'replies' | 'everything' }
  /** New connections are closed at once. */
  | { readonly kind: 'refuse' };

export type Direction = 'requests' | 'replies';

export function isSwallowed(fault: Fault, direction: Direction): boolean {
  return fault.kind === 'swallow' && (fault.what === 'everything' || fault.what === direction);
}
