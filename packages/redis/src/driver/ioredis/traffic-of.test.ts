import { expect, test } from '@jest/globals';
import type { ClientStream, StreamHandle } from './instance.ts';
import { trafficOf } from './traffic-of.ts';

/** 700 bytes were read; of 1,000 written ones the stream has finished 400 and begun 900. */
function stream(handle: StreamHandle | null | undefined): ClientStream {
  return {
    writable: true,
    destroyed: false,
    bytesRead: 700,
    bytesWritten: 1_000,
    writableLength: 600,
    _handle: handle,
    cork: () => undefined,
    uncork: () => undefined,
    destroy: () => undefined,
    once: () => undefined,
  };
}

test.each([
  ['the handle knows how far a write has come', { bytesWritten: 900, writeQueueSize: 350 }, 550, 450],
  [
    'with TLS it is the handle of TCP, whose bytes are more',
    { bytesWritten: 900, writeQueueSize: 920, _parent: { bytesWritten: 950, writeQueueSize: 370 } },
    580,
    470,
  ],
  ['a handle that does not tell: by whole writes', {}, 400, 600],
  ['no handle: the socket is gone', null, 400, 600],
  ['no handle: the stream is none of Node.js', undefined, 400, 600],
] as const)('%s', (_, handle, sent, waiting) => {
  expect(trafficOf(stream(handle))).toEqual({ received: 700, sent, waiting });
});
