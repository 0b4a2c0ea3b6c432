import type { RedisTraffic } from '../driver.ts';
import type { ClientStream } from './instance.ts';

/**
 * The bytes of a socket. What the stream counts as written is a whole command, or several, which is too coarse for large ones:
 * the handle below knows better, with TLS the one of TCP.
 */
export function trafficOf(stream: ClientStream): RedisTraffic {
  const { bytesRead: received, bytesWritten, writableLength, _handle: handle } = stream;
  const { bytesWritten: begun, writeQueueSize: queued } = handle?._parent ?? handle ?? {};
  if (begun === undefined || queued === undefined) {
    return { received, sent: bytesWritten - writableLength, waiting: writableLength };
  }
  return { received, sent: begun - queued, waiting: queued + bytesWritten - (handle?.bytesWritten ?? 0) };
}
