import { RsError } from '@rs/core';
import type { DedicatedConnectionOptions } from '../connection/dedicated-connection.ts';
import type { RedisArgument, RedisCommand, RedisDriver, RedisReply } from '../driver/driver.ts';
import { monotonic } from '../monotonic.ts';
import type { Router } from '../routing/router.ts';
import type { ScriptCall } from '../script/script.ts';
import { Call, type CallInit } from './call.ts';
import type { BlockingConnection, CallOptions, MasterHandle, RedisClient, WaitingCall } from './client.ts';

export interface RoutedClientParts {
  readonly router: Router;
  readonly commandTimeout: number;
  readonly driver: RedisDriver;
  readonly dedicated: (parts: DedicatedParts) => BlockingConnection;
}

export type DedicatedParts = Pick<DedicatedConnectionOptions, 'connect' | 'unblock' | 'target'>;

const MAX_DELAY = 2 ** 31 - 1;

/** The client over any router: every call has a deadline, a signal and an end. */
export class RoutedClient implements RedisClient {
  readonly topology: 'single' | 'cluster';
  readonly #parts: RoutedClientParts;
  readonly #calls = new Set<Call>();
  readonly #dedicated = new Set<BlockingConnection>();
  #closed = false;

  constructor(parts: RoutedClientParts) {
    this.topology = parts.driver.topology;
    this.#parts = parts;
  }

  async run(call: ScriptCall, options: CallOptions = {}): Promise<RedisReply> {
    const { script, keys, args } = call;
    const slot = this.#parts.router.slotOf(keys, `script ${script.name}`);
    const head: RedisArgument[] = [script.sha1, keys.length];
    const command = commandOf('EVALSHA', head.concat(keys, args), options);
    return this.#dispatch({ command, script, keys, slot }, options);
  }

  async command(
    command: RedisCommand,
    options: CallOptions & { readonly key?: string } = {},
  ): Promise<RedisReply> {
    const { key } = options;
    const slot = key === undefined ? undefined : this.#parts.router.slotOf([key], command.name);
    const keys = key === undefined ? [] : [key];
    return this.#dispatch({ command: withBinary(command, options), keys, slot }, options);
  }

  dedicated(options: { readonly key: string; readonly name: string }): BlockingConnection {
    const { key, name } = options;
    if (this.#closed) throw closed(`the connection of ${name}`);
    const slot = this.#parts.router.slotOf([key], name);
    const connection = this.#parts.dedicated({
      target: name,
      connect: async (attempt) => {
        const probe = { command: { name: 'EXISTS', args: [key] }, slot };
        const node = await this.#parts.router.locate(() => this.#call(probe, attempt));
        return this.#parts.driver.connect(node === undefined ? attempt : { ...attempt, node });
      },
      unblock: (id, node) =>
        this.#dispatch({ command: { name: 'CLIENT', args: ['UNBLOCK', id, 'TIMEOUT'] }, node }, {}),
    });
    const own: BlockingConnection = {
      call: (command, call) => connection.call(command, call),
      calls: (commands, call) => connection.calls(commands, call),
      wake: () => connection.wake(),
      close: () => {
        this.#dedicated.delete(own);
        connection.close();
      },
    };
    this.#dedicated.add(own);
    return own;
  }

  async masters(options: CallOptions = {}): Promise<readonly MasterHandle[]> {
    const ping = this.#call({ command: { name: 'PING', args: [] } }, options);
    const nodes = await this.#parts.router.masters(ping);
    return nodes.map((node) => ({
      node,
      command: async (command, own = {}) => this.#dispatch({ command: withBinary(command, own), node }, own),
    }));
  }

  waiting(): WaitingCall | undefined {
    // In the order in which they were made.
    const [oldest] = this.#calls;
    if (oldest === undefined) return undefined;
    const { name, since, lastError: error } = oldest;
    return { name, waited: monotonic() - since, error };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const call of this.#calls) call.reject(closed(call.name));
    for (const connection of [...this.#dedicated]) connection.close();
    this.#parts.router.close();
  }

  #dispatch(init: CallInit, options: CallOptions): Promise<RedisReply> {
    const call = this.#call(init, options);
    this.#parts.router.dispatch(call);
    return call.promise;
  }

  /** @throws RsError `RS_CLOSED`, or the signal's reason when it is aborted already */
  #call(init: CallInit, options: CallOptions): Call {
    if (this.#closed) throw closed(init.script?.name ?? init.command.name);
    options.signal?.throwIfAborted();
    const timeout = checkTimeout(options.timeout ?? this.#parts.commandTimeout);
    const { onRefused, signal } = options;
    const told = onRefused === undefined ? init : { ...init, onRefused };
    const call = new Call(told, timeout, signal, this.#ended);
    this.#calls.add(call);
    return call;
  }

  readonly #ended = (call: Call): void => {
    this.#calls.delete(call);
  };
}

function commandOf(name: string, args: readonly RedisArgument[], options: CallOptions): RedisCommand {
  return options.binary === true ? { name, args, binary: true } : { name, args };
}

function withBinary(command: RedisCommand, options: CallOptions): RedisCommand {
  return options.binary === true && command.binary !== true ? { ...command, binary: true } : command;
}

/** @throws RsError `RS_INVALID_ARGUMENT` unless it is a positive number of milliseconds */
export function checkTimeout(timeout: number, what = 'timeout'): number {
  if (typeof timeout === 'number' && timeout > 0) return Math.min(timeout, MAX_DELAY);
  throw new RsError('RS_INVALID_ARGUMENT', `${what} must be a positive number of milliseconds`, {
    details: { what, received: timeout },
  });
}

function closed(what: string): RsError {
  return new RsError('RS_CLOSED', `${what}: the Redis client is closed`, { details: { what } });
}
