import { type Socket, createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Direction, type Fault, isSwallowed } from './fault.ts';

export interface ProxiedConnectionOptions {
  readonly client: Socket;
  readonly to: { readonly host: string; readonly port: number };
  readonly fault: () => Fault;
  /** Asked with each piece of a reply: true loses it, and the connection with it. */
  readonly losesReply: () => boolean;
  /** Bytes were read, whatever becomes of them. */
  readonly seen: (direction: Direction, bytes: number) => void;
  readonly closed: (connection: ProxiedConnection) => void;
}

/** A client's connection and the one to the server that was made for it. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #options: ProxiedConnectionOptions;
  #incomplete = false;

  constructor(options: ProxiedConnectionOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#server = createConnection({ ...options.to, allowHalfOpen: true, noDelay: true });
    this.#client.setNoDelay(true);
    this.#carry(this.#client, this.#server, 'requests');
    this.#carry(this.#server, this.#client, 'replies');
    for (const socket of [this.#client, this.#server]) {
      // The other side sees the end; how it came about is of no interest here.
      socket.on('error', () => undefined);
      socket.once('close', () => this.cut());
    }
  }

  /** Bytes were swallowed: what came after them would make no sense to anybody. */
  get incomplete(): boolean {
    return this.#incomplete;
  }

  cut(): void {
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
    this.#options.closed(this);
  }

  /** Says goodbye to the client, and goes on passing what it sends. */
  halfClose(): void {
    this.#client.end();
  }

  #carry(from: Socket, to: Socket, direction: Direction): void {
    const { fault, losesReply, seen } = this.#options;
    let earlier: Promise<unknown> = Promise.resolve();
    /** In order, also when the delay becomes shorter. */
    const inTurn = (act: () => void): void => {
      const now = fault();
      earlier = Promise.all([earlier, now.kind === 'delay' ? pause(now.millis) : undefined]).then(act);
    };
    from.on('data', (bytes) => {
      if (isSwallowed(fault(), direction)) {
        this.#incomplete = true;
      } else if (direction === 'replies' && losesReply()) {
        this.cut();
      } else {
        inTurn(() => {
          if (!to.writable || to.write(bytes)) return;
          from.pause();
          to.once('drain', () => from.resume());
        });
      }
      seen(direction, bytes.length);
    });
    from.on('end', () => {
      if (!isSwallowed(fault(), direction)) inTurn(() => to.end());
    });
  }
}
