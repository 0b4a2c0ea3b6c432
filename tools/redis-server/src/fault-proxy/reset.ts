import type { Socket } from 'node:net';

/**
 * Resets a connection. Node.js refuses that for one that was ended, and then neither closes it nor lets the process exit: it spins for ever
 * in the clean-up. Such a connection is closed.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
