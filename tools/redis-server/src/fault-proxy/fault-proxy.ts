import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { Direction, Fault } from './fault.ts';
import { ProxiedConnection } from './proxied-connection.ts';
import { reset } from './reset.ts';

export interface FaultProxyOptions {
  /** The server behind it. */
  readonly to: { readonly host: string; readonly port: number };
}

/**
 * A TCP proxy on a free port of 127.0.0.1 that does to connections what networks do. It knows nothing of what passes, so
 * TLS goes through it too. For nodes of a cluster and of Sentinels give clients a `natMap` that leads through proxies.
 */
export class FaultProxy {
  readonly host = '127.0.0.1';
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  #fault: Fault = { kind: 'none' };
  #losesNextReply = false;
  #accepted = 0;
  readonly #seen = { requests: 0, replies: 0 };

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  /** Starts one that does no harm yet. `close` ends it; it does not keep the process alive. */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    proxy.#server.listen(0, proxy.host);
    await once(proxy.#server, 'listening');
    proxy.#server.unref();
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections stand. */
  get connections(): number {
    return this.#connections.size;
  }

  /** How many were accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Bytes that came from clients and from the server so far, whatever became of them. */
  get seen(): Readonly<Record<Direction, number>> {
    return this.#seen;
  }

  /** From now on, for connections that stand and for new ones; it replaces the fault before. */
  set(fault: Fault): void {
    this.#fault = fault;
  }

  /** Ends the fault. Connections that lost bytes are cut: no network gives the end of a stream without its middle. */
  heal(): void {
    this.#fault = { kind: 'none' };
    this.#losesNextReply = false;
    for (const connection of [...this.#connections]) if (connection.incomplete) connection.cut();
  }

  /** The next reply of the server, on whichever connection, is lost, and its connection is cut. */
  loseNextReply(): void {
    this.#losesNextReply = true;
  }

  /** Nothing arrives on the connections that stand, for ever, and new ones work: a firewall that forgot them. */
  freeze(): void {
    for (const connection of this.#connections) connection.freeze();
  }

  /** Resets all connections, as a server that crashes does. */
  cut(): void {
    for (const connection of [...this.#connections]) connection.cut();
  }

  /** Ends all connections towards their clients alone: what these still send goes to the server. */
  halfClose(): void {
    for (const connection of this.#connections) connection.halfClose();
  }

  /** Cuts all connections and takes no new ones. Idempotent. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    if (this.#fault.kind === 'refuse') {
      client.on('error', () => undefined);
      reset(client);
      return;
    }
    const connection = new ProxiedConnection({
      client,
      to: this.#options.to,
      fault: () => this.#fault,
      losesReply: () => {
        const loses = this.#losesNextReply;
        this.#losesNextReply = false;
        return loses;
      },
      seen: (direction, bytes) => {
        this.#seen[direction] += bytes;
      },
      closed: (ended) => this.#connections.delete(ended),
    });
    this.#connections.add(connection);
  }
}
