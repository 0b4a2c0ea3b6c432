import { strict as assert } from 'node:assert';
import { type RsError, isRsError } from '@rs/core';
import type {
  ConnectOptions,
  RedisCommand,
  RedisConnection,
  RedisDriver,
  RedisReply,
} from '../driver/driver.ts';
import { type Answer, FakeServer } from './fake-server.ts';

/** Milliseconds; only a case that fails ever waits that long. */
const PATIENCE = 10_000;

/** What one case works with; `clear` leaves nothing of it behind. */
export class Bench {
  readonly #driver: RedisDriver;
  readonly #prefix: string;
  readonly #connections: RedisConnection[] = [];
  readonly #servers: FakeServer[] = [];
  readonly #keys = new Set<string>();

  constructor(driver: RedisDriver, prefix: string) {
    this.#driver = driver;
    this.#prefix = prefix;
  }

  /** The keys of a case lie in one slot. */
  key(name: string): string {
    const key = `${this.#prefix}{driver}:${name}`;
    this.#keys.add(key);
    return key;
  }

  async connect(options: Partial<ConnectOptions> = {}): Promise<RedisConnection> {
    const connection = await this.#driver.connect({ timeout: PATIENCE, ...options });
    this.#connections.push(connection);
    return connection;
  }

  /** A connection to the server of the keys. */
  async open(): Promise<RedisConnection> {
    const any = await this.connect();
    const [reply] = await any.send([{ name: 'EXISTS', args: [this.key('probe')] }]);
    if (!isRsError(reply, 'RS_REDIS_REFUSED')) return any;
    const { host, port } = reply.details;
    assert.ok(typeof host === 'string' && typeof port === 'number', `no redirection in ${reply.message}`);
    return this.connect({ node: { host: host === '' ? any.node.host : host, port } });
  }

  async fakeServer(answer: Answer): Promise<FakeServer> {
    const server = await FakeServer.start(answer);
    this.#servers.push(server);
    return server;
  }

  async clear(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    for (const server of this.#servers) await server.close();
    this.#connections.length = 0;
    const keys = [...this.#keys];
    if (keys.length === 0) return;
    const connection = await this.open();
    await connection.send([{ name: 'DEL', args: keys }]);
    for (const opened of this.#connections) opened.destroy();
  }
}

/** The reply of one command. */
export async function ask(connection: RedisConnection, ...command: Command): Promise<RedisReply> {
  const [name, ...args] = command;
  return first(await connection.send([{ name, args }]));
}

export type Command = readonly [name: string, ...args: RedisCommand['args']];

export function first(replies: readonly RedisReply[]): RedisReply {
  assert.equal(replies.length, 1, 'one command has one reply');
  return replies[0] ?? null;
}

/** The error that `work` is rejected with. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    await within(work);
  } catch (error) {
    return error;
  }
  return assert.fail('it was to be rejected');
}

/** @throws AssertionError when `work` takes too long */
export async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: `nothing happened within ${PATIENCE} ms` })),
      PATIENCE,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function assertError(error: unknown, code: RsError['code']): asserts error is RsError {
  assert.ok(isRsError(error), `an RsError was expected, but it is ${String(error)}`);
  assert.equal(error.code, code, error.message);
}
