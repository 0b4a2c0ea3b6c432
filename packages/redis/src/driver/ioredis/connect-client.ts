import { RsError, isRsError } from '@rs/core';
import { deadline } from '../../connection/deadline.ts';
import type { RedisConnection, RedisNode } from '../driver.ts';
import { IoredisConnection, type MakeCommand } from './connection.ts';
import { type Handshake, shakeHands } from './handshake.ts';
import type { NodeClient } from './instance.ts';
import { messageOf } from './message-of.ts';

export interface Attempt {
  readonly client: NodeClient;
  readonly makeCommand: MakeCommand;
  readonly handshake: Handshake;
  /** What the connection is called. Without it: what is at the other end of the socket, as with Sentinels. */
  readonly node?: RedisNode | undefined;
  /** For messages. */
  readonly target: string;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects a client of ioredis that was made for this, and shakes hands. Whatever goes wrong, nothing of it is left.
 *
 * @throws RsError as `RedisDriver.connect`; the signal's reason
 */
export async function connectClient(attempt: Attempt): Promise<RedisConnection> {
  const { client, target, timeout, signal } = attempt;
  signal?.throwIfAborted();
  let lastError: unknown;
  client.on('error', (error) => {
    lastError = error;
  });
  const end = withDeadline(timeout, signal, () =>
    unavailable(target, `no answer within ${timeout} ms`, lastError),
  );
  try {
    return await Promise.race([establish(attempt), end.promise]);
  } catch (reason) {
    client.stream?.destroy();
    client.disconnect();
    if (isRsError(reason) && reason.code !== 'RS_REDIS_CONNECTION_LOST') throw reason;
    if (signal?.aborted === true) throw signal.reason;
    throw unavailable(target, messageOf(lastError ?? reason), lastError ?? reason);
  } finally {
    end.clear();
  }
}

async function establish({ client, makeCommand, handshake, node }: Attempt): Promise<RedisConnection> {
  await client.connect();
  const { stream } = client;
  if (stream === undefined) throw new RsError('RS_REDIS_CONNECTION_LOST', 'it was closed at once');
  const peer = { host: stream.remoteAddress ?? '', port: stream.remotePort ?? 0 };
  const connection = new IoredisConnection(client, stream, node ?? peer, makeCommand);
  await shakeHands(connection, handshake);
  return connection;
}

/** Rejected when the time is over, or with the signal's reason, whatever that is. */
function withDeadline(
  timeout: number,
  signal: AbortSignal | undefined,
  expired: () => RsError,
): { readonly promise: Promise<never>; readonly clear: () => void } {
  let fail: (reason: unknown) => void = nothing;
  const promise = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const cancel = deadline(timeout, () => fail(expired()));
  const abort = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const clear = (): void => {
    cancel();
    signal?.removeEventListener('abort', abort);
  };
  return { promise, clear };
}

export function unavailable(target: string, why: string, cause: unknown): RsError {
  return new RsError('RS_REDIS_UNAVAILABLE', `no connection to ${target}: ${why}`, {
    cause,
    details: { target },
  });
}

const nothing = (): void => undefined;
