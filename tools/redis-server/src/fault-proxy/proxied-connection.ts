import { type Socket, createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Direction, type Fault, isSwallowed } from './fault.ts';
import { reset } from './reset.ts';

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
  #frozen = false;

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
    reset(this.#client);
    reset(this.#server);
    this.#options.closed(this);
  }

  /** Loses everything from now on, also the end of either side. */
  freeze(): void {
    this.#frozen = true;
  }

  /** Says goodbye to the client, and goes on passing what it sends. */
  halfClose(): void {
    this.#client.end();
  }

  #carry(from: Socket, to: Socket, direction: Direction): void {
    const { fault, losesReply, seen } = this.#options;
    let earlier: Promise<unknown> = Promise.resolve();
    /** In order, also when the delay becomes shorter. */
    const inTurn = (bytes: number, act: () => void): void => {
      const millis = waitOf(fault(), bytes);
      earlier = Promise.all([earlier, millis > 0 ? pause(millis) : undefined]).then(act);
    };
    const isLost = (): boolean => this.#frozen || isSwallowed(fault(), direction);
    from.on('data', (bytes) => {
      if (isLost()) {
        this.#incomplete = true;
      } else if (direction === 'replies' && losesReply()) {
        this.cut();
      } else {
        // What is read only when it may go on fills the sender's buffers, as on a slow network.
        const limited = fault().kind === 'limit';
        if (limited) from.pause();
        inTurn(bytes.length, () => {
          if (!to.writable || to.write(bytes)) {
            if (limited) from.resume();
            return;
          }
          from.pause();
          to.once('drain', () => from.resume());
        });
      }
      seen(direction, bytes.length);
    });
    from.on('end', () => {
      if (!isLost()) inTurn(0, () => to.end());
    });
  }
}

/** Milliseconds until so many bytes may go on. */
function waitOf(fault: Fault, bytes: number): number {
  if (fault.kind === 'delay') return fault.millis;
  return fault.kind === 'limit' ? (1_000 * bytes) / fault.bytesPerSecond : 0;
}
