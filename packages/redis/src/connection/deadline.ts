/**
 * Calls back after `millis`, unless it is cancelled by then: never before what has arrived by that time was read. After the
 * process itself stood still, timers come first, and a reply may be waiting in the socket.
 *
 * @returns cancels it
 */
export function deadline(millis: number, expired: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(expired);
  }, millis);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}
