import { type Machine, PortTaken, type ServerProcess } from '../machine/machine.ts';
import { eventually } from '../eventually.ts';

/** A reply as ioredis gives it. */
export type Reply = string | number | null | Reply[];

/** The elements of an array reply; none of any other reply. */
export function rows(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}

export interface TlsFiles {
  /** The certificate that vouches for the server's, in PEM: what a client needs as `ca`. */
  readonly ca: string;
}

/** A server that can be made to fail and to come back. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
  /** `redis://` or `rediss://`, with the password of `requirepass`. */
  readonly url: string;
  readonly tls?: TlsFiles;
  /** Ends the server with SIGKILL, as a crash would. Its directory and port remain for `restart`. */
  kill(): Promise<void>;
  /**
   * Starts it on the same port and directory, after an orderly end when it still runs. What was in its append-only file
   * is there again.
   */
  restart(): Promise<void>;
  /** Stops it in the middle of whatever it does (SIGSTOP): connections stand and nothing answers. */
  pause(): Promise<void>;
  /** Lets it go on. */
  resume(): Promise<void>;
  /** Sends one command over a connection of its own and gives the reply. An error reply is thrown. */
  cli(...command: readonly string[]): Promise<Reply>;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
  readonly tls?: TlsFiles | undefined;
}

/** The way to a server, whoever runs it. */
export function urlOf({ host, port, password, tls }: ServerAddress): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `${tls === undefined ? 'redis' : 'rediss'}://${credentials}${host}:${port}`;
}

export async function sendCommand(
  url: string,
  tls: TlsFiles | undefined,
  command: readonly string[],
): Promise<Reply> {
  const { Redis } = await import('ioredis');
  const [name, ...args] = command;
  if (name === undefined) throw new Error('A command needs a name: cli("PING")');
  const connection = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
    ...(tls === undefined ? {} : { tls: { ca: tls.ca } }),
  });
  // Failures come as rejections of the calls below; without a listener ioredis prints them.
  connection.on('error', () => undefined);
  try {
    await connection.connect();
    return (await connection.call(name, ...args)) as Reply;
  } finally {
    // After a refused attempt it would wait two seconds for the end of a socket that has ended.
    if (connection.status !== 'end') connection.disconnect();
  }
}

export interface ServerOptions {
  readonly machine: Machine;
  readonly directory: string;
  readonly args: readonly string[];
  readonly address: ServerAddress;
}

/** A server that this process started. */
export class OwnServer implements RedisNode {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  readonly tls?: TlsFiles;
  readonly #options: ServerOptions;
  #process: ServerProcess | undefined;
  #answers = false;

  constructor(options: ServerOptions) {
    const { host, port, tls } = options.address;
    this.host = host;
    this.port = port;
    this.url = urlOf(options.address);
    if (tls !== undefined) this.tls = tls;
    this.#options = options;
  }

  /** False between `kill` and `restart`, and between `pause` and `resume`. */
  get answers(): boolean {
    return this.#answers;
  }

  /** @throws as {@link Machine.start} */
  async start(): Promise<void> {
    const { machine, directory, args } = this.#options;
    this.#process = await machine.start(directory, args);
    this.#answers = true;
  }

  async kill(): Promise<void> {
    this.#answers = false;
    await this.#process?.end('SIGKILL');
  }

  async restart(): Promise<void> {
    this.#answers = false;
    // A paused server would not hear of the end.
    await this.#process?.signal('SIGCONT');
    await this.#process?.end('SIGTERM');
    // The port was promised to the callers, so whoever took it meanwhile is waited for.
    await eventually(
      `port ${this.port} to be free again`,
      async () => {
        await this.start();
        return true;
      },
      { tolerate: (error) => error instanceof PortTaken },
    );
  }

  async pause(): Promise<void> {
    this.#answers = false;
    await this.#process?.signal('SIGSTOP');
  }

  async resume(): Promise<void> {
    await this.#process?.signal('SIGCONT');
    this.#answers = true;
  }

  cli(...command: readonly string[]): Promise<Reply> {
    return sendCommand(this.url, this.tls, command);
  }
}
