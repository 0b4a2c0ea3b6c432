import { RsError } from '@rs/core';

/**
 * A `Redis` or `Cluster` of ioredis, 5.4 and newer, by its shape: so that it may come from any copy and version of the
 * library, and @rs/redis loads without it.
 */
export interface IoredisInstance {
  readonly isCluster: boolean;
  readonly status: string;
  readonly options: object;
  duplicate(): unknown;
}

/** What we use of a `Redis`. */
export interface NodeClient {
  readonly status: string;
  readonly options: NodeOptions;
  readonly stream?: ClientStream | undefined;
  connect(): Promise<void>;
  disconnect(): void;
  /** Another one by the same options and these. */
  duplicate(options: object): unknown;
  call(name: string): unknown;
  sendCommand(command: ClientCommand): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What we use of its socket. */
export interface ClientStream {
  readonly writable: boolean;
  readonly destroyed: boolean;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly bytesRead: number;
  /** With those that wait. */
  readonly bytesWritten: number;
  readonly writableLength: number;
  /** What Node.js itself looks at to tell a slow write from none. Not public, so it may be missing. */
  readonly _handle?: StreamHandle | null | undefined;
  cork(): void;
  uncork(): void;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export interface StreamHandle {
  readonly bytesWritten?: number | undefined;
  /** Of these, what the operating system has not taken yet. */
  readonly writeQueueSize?: number | undefined;
  /** With TLS: what is below. */
  readonly _parent?: StreamHandle | null | undefined;
}

export interface ClientCommand {
  readonly promise: Promise<unknown>;
  toWritable(): string | Buffer;
}

export interface ClientCommandClass {
  new (
    name: string,
    args: readonly never[],
    options: { readonly replyEncoding: 'utf8' | null },
  ): ClientCommand;
}

/** What we read of the options of a `Redis`. */
export interface NodeOptions {
  readonly host?: string | null;
  readonly port?: number | null;
  /** A Unix socket. */
  readonly path?: string | null;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly db?: number | null;
  readonly tls?: unknown;
  readonly keyPrefix?: unknown;
  readonly connectionName?: string | null;
  readonly sentinels?: readonly object[] | null;
  readonly name?: string | null;
  readonly enableTLSForSentinelMode?: boolean;
}

export function isIoredisInstance(value: unknown): value is IoredisInstance {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'isCluster') === 'boolean' &&
    typeof Reflect.get(value, 'status') === 'string' &&
    typeof Reflect.get(value, 'options') === 'object' &&
    typeof Reflect.get(value, 'duplicate') === 'function'
  );
}

/** `duplicate` with its arguments, which differ between `Redis` and `Cluster`. */
export function duplicated(redis: IoredisInstance, ...args: readonly unknown[]): unknown {
  const duplicate: unknown = Reflect.get(redis, 'duplicate');
  if (typeof duplicate !== 'function') throw notIoredis('this instance');
  return Reflect.apply(duplicate, redis, args);
}

export function isNodeClient(value: unknown): value is NodeClient {
  return (
    isIoredisInstance(value) &&
    ['connect', 'disconnect', 'call', 'sendCommand', 'on'].every(
      (name) => typeof Reflect.get(value, name) === 'function',
    )
  );
}

/** For an instance that has the shape, but not the parts behind it. */
export function notIoredis(what: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `ioredisDriver: ${what} is not of ioredis 5.4 to 6, or it is a mock; install ioredis 5.4 or newer, ` +
      'or pass a RedisDriver of your own',
  );
}
