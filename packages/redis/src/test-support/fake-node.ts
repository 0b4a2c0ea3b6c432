import { RsError } from '@rs/core';
import type {
  Arrived,
  RedisCommand,
  RedisConnection,
  RedisNode,
  RedisReply,
  RedisTraffic,
} from '../driver/driver.ts';
import { replyError } from '../driver/reply-error.ts';

/** Decides on one command: a reply, or nothing, and then the node's own rules count. */
export type Rule = (command: RedisCommand) => RedisReply | undefined;

interface Sent {
  readonly connection: FakeConnection;
  readonly commands: readonly RedisCommand[];
  /** Of the commands so far. */
  readonly replies: RedisReply[];
  readonly arrived: Arrived | undefined;
  readonly answer: (replies: RedisReply[]) => void;
}

/** A server that knows scripts, ASKING and what a test tells it, and executes only when it is told to, unless `auto`. */
export class FakeNode {
  readonly node: RedisNode;
  /** Whether it takes connections. */
  up = true;
  auto = true;
  /** Rules of the test, asked first. */
  rule: Rule = () => undefined;
  /** Names of scripts and commands it executed, with their first key or argument. */
  readonly executed: string[] = [];
  /** What came in one `send` each. */
  readonly sends: (readonly RedisCommand[])[] = [];
  /** Whether the command executed now came behind ASKING. */
  asking = false;
  readonly #scripts = new Set<string>();
  readonly #connections = new Set<FakeConnection>();
  readonly #inbox: Sent[] = [];

  constructor(port: number, host = '127.0.0.1') {
    this.node = { host, port };
  }

  /** The one connection that stands. */
  get connection(): FakeConnection {
    const [connection, ...others] = this.#connections;
    if (connection === undefined || others.length > 0) {
      throw new RsError('RS_INVALID_ARGUMENT', `${this.#connections.size} connections stand, not one`);
    }
    return connection;
  }

  get connections(): number {
    return this.#connections.size;
  }

  get waiting(): number {
    return this.#inbox.length;
  }

  accept(): FakeConnection {
    const connection = new FakeConnection(this);
    this.#connections.add(connection);
    return connection;
  }

  flushScripts(): void {
    this.#scripts.clear();
  }

  /** Ends all connections. What was sent and not executed is lost. */
  kill(): void {
    for (const connection of [...this.#connections]) connection.destroy();
  }

  /** Executes what came first and replies to it. */
  serve(): void {
    this.servePart(Infinity);
    const sent = this.#inbox.shift();
    sent?.answer(sent.replies);
  }

  /** Executes so many of the commands that came first in one `send`, and replies to those. */
  servePart(commands: number): void {
    const sent = this.#inbox[0];
    if (sent === undefined) return;
    for (const command of sent.commands.slice(sent.replies.length, sent.replies.length + commands)) {
      const reply = this.execute(command);
      sent.replies.push(reply);
      sent.connection.bytes.received++;
      sent.arrived?.(reply, sent.replies.length - 1);
    }
  }

  serveAll(): void {
    while (this.#inbox.length > 0) this.serve();
  }

  /** Executes what came first and loses the connection before the reply. */
  serveAndLoseReply(): void {
    const sent = this.#inbox.shift();
    if (sent === undefined) return;
    for (const command of sent.commands) this.execute(command);
    sent.connection.destroy();
  }

  execute(command: RedisCommand): RedisReply {
    const asking = this.asking;
    const reply = this.rule(command) ?? this.#reply(command);
    if (asking) this.asking = false;
    return reply;
  }

  receive(sent: Sent): void {
    this.sends.push(sent.commands);
    this.#inbox.push(sent);
    if (this.auto) this.serve();
  }

  gone(connection: FakeConnection): void {
    this.#connections.delete(connection);
    for (let i = this.#inbox.length - 1; i >= 0; i--) {
      if (this.#inbox[i]?.connection === connection) this.#inbox.splice(i, 1);
    }
  }

  #reply(command: RedisCommand): RedisReply {
    const [first, second] = command.args;
    switch (command.name) {
      case 'ASKING':
        this.asking = true;
        return 'OK';
      case 'SCRIPT': {
        const sha1 = shaOf(String(second));
        this.#scripts.add(sha1);
        return sha1;
      }
      case 'EVALSHA':
        if (!this.#scripts.has(String(first)))
          return replyError('NOSCRIPT No matching script. Please use EVAL.');
        this.executed.push(`${String(first).slice(4)} ${command.args.slice(2).join(' ')}`);
        return `ran ${command.args.slice(2).join(' ')}`;
      default:
        this.executed.push(`${command.name} ${command.args.join(' ')}`);
        return 'OK';
    }
  }
}

/** Stands for SHA-1: the tests' scripts are their own names. */
export function shaOf(source: string): string {
  return `sha-${source}`;
}

export class FakeConnection implements RedisConnection {
  readonly closed: Promise<RsError>;
  /** One for each reply; a test may move them as it likes. */
  readonly bytes = { received: 0, sent: 0, waiting: 0 };
  readonly #server: FakeNode;
  readonly #pending = new Set<(error: RsError) => void>();
  #end: (error: RsError) => void = () => undefined;
  #open = true;

  constructor(server: FakeNode) {
    this.#server = server;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get node(): RedisNode {
    return this.#server.node;
  }

  send(commands: readonly RedisCommand[], arrived?: Arrived): Promise<RedisReply[]> {
    if (!this.#open) return Promise.reject(lost(false));
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      this.#server.receive({
        connection: this,
        commands,
        replies: [],
        arrived,
        answer: (replies) => {
          this.#pending.delete(reject);
          resolve(replies);
        },
      });
    });
  }

  traffic(): RedisTraffic {
    return { ...this.bytes };
  }

  destroy(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#server.gone(this);
    for (const reject of this.#pending) reject(lost(true));
    this.#pending.clear();
    this.#end(lost(true));
  }
}

function lost(sent: boolean): RsError {
  return new RsError('RS_REDIS_CONNECTION_LOST', 'the connection was lost', { details: { sent } });
}
