import { RsError } from '@rs/core';
import type {
  Arrived,
  RedisCommand,
  RedisConnection,
  RedisNode,
  RedisReply,
  RedisTraffic,
} from '../driver.ts';
import { replyError } from '../reply-error.ts';
import { encode } from './encode.ts';
import type { ClientCommand, ClientStream, NodeClient } from './instance.ts';
import { trafficOf } from './traffic-of.ts';

/** Makes a command of ioredis that is encoded already. */
export type MakeCommand = (name: string, payload: Buffer, binary: boolean) => ClientCommand;

/** What one `send` waits for. */
interface Exchange {
  readonly replies: RedisReply[];
  missing: number;
  readonly arrived: Arrived | undefined;
  readonly resolve: (replies: RedisReply[]) => void;
  readonly reject: (error: RsError) => void;
}

/** A connected client of ioredis as one plain connection. Made by `connectClient`, which has shaken hands. */
export class IoredisConnection implements RedisConnection {
  readonly node: RedisNode;
  readonly closed: Promise<RsError>;
  readonly #client: NodeClient;
  readonly #stream: ClientStream;
  readonly #makeCommand: MakeCommand;
  readonly #underWay = new Set<Exchange>();
  #end: (reason: RsError) => void = nothing;
  #lost: RsError | undefined;
  #destroyed = false;

  constructor(client: NodeClient, stream: ClientStream, node: RedisNode, makeCommand: MakeCommand) {
    this.node = node;
    this.#client = client;
    this.#stream = stream;
    this.#makeCommand = makeCommand;
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    let cause: Error | undefined;
    client.on('error', (error) => {
      cause = error;
    });
    stream.once('close', () => this.#lose(`the connection to ${where(node)} was closed`, cause));
  }

  async send(commands: readonly RedisCommand[], arrived?: Arrived): Promise<RedisReply[]> {
    if (this.#lost !== undefined) throw this.#unsent(this.#lost);
    const ready = commands.map((command) =>
      // In capitals: ioredis gives the replies of commands in small letters shapes of its own.
      this.#makeCommand(command.name.toUpperCase(), encode(command), command.binary === true),
    );
    if (!this.#stream.writable) {
      this.#lose(`the server at ${where(this.node)} ended the connection`, undefined);
      this.destroy();
      throw this.#unsent(this.#lost);
    }
    if (ready.length === 0) return [];
    return new Promise((resolve, reject) => {
      const exchange: Exchange = { replies: [], missing: ready.length, arrived, resolve, reject };
      this.#underWay.add(exchange);
      this.#stream.cork();
      try {
        ready.forEach((command, at) => this.#start(exchange, at, command));
      } finally {
        this.#stream.uncork();
      }
    });
  }

  traffic(): RedisTraffic {
    return trafficOf(this.#stream);
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#lose(`the connection to ${where(this.node)} was given up`, undefined);
    this.#stream.destroy();
    this.#client.disconnect();
  }

  #start(exchange: Exchange, at: number, command: ClientCommand): void {
    this.#client.sendCommand(command);
    command.promise.then(
      (reply) => this.#arrived(exchange, at, withErrors(reply)),
      (error: unknown) => {
        if (isReplyError(error)) {
          this.#arrived(exchange, at, replyError(error.message));
        } else {
          // It is lost, or its bytes make no sense: either way no further reply can be told apart.
          this.#lose(`the connection to ${where(this.node)} was closed`, error);
          this.destroy();
        }
      },
    );
  }

  #arrived(exchange: Exchange, at: number, reply: RedisReply): void {
    exchange.replies[at] = reply;
    exchange.missing--;
    exchange.arrived?.(reply, at);
    if (exchange.missing === 0 && this.#underWay.delete(exchange)) exchange.resolve(exchange.replies);
  }

  #lose(message: string, cause: unknown): void {
    if (this.#lost !== undefined) return;
    const reason = lostError(message, this.node, true, cause);
    this.#lost = reason;
    for (const exchange of this.#underWay) exchange.reject(reason);
    this.#underWay.clear();
    this.#end(reason);
  }

  #unsent(lost: RsError | undefined): RsError {
    return lostError(
      `nothing was sent: ${lost?.message ?? 'the connection is closed'}`,
      this.node,
      false,
      lost?.cause,
    );
  }
}

function lostError(message: string, node: RedisNode, sent: boolean, cause: unknown): RsError {
  return new RsError('RS_REDIS_CONNECTION_LOST', message, { cause, details: { node, sent } });
}

/** Error replies stand in the place of their reply, wherever that is. In place, for it runs over all that is read. */
function withErrors(reply: unknown): RedisReply {
  if (Array.isArray(reply)) {
    const items: unknown[] = reply;
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      if (Array.isArray(item) || item instanceof Error) items[at] = withErrors(item);
    }
  } else if (isReplyError(reply)) {
    return replyError(reply.message);
  }
  return reply as RedisReply;
}

function isReplyError(value: unknown): value is Error {
  return value instanceof Error && value.name === 'ReplyError';
}

function where({ host, port }: RedisNode): string {
  return port === 0 ? host : `${host}:${port}`;
}

const nothing = (): void => undefined;
