import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import type { RedisNode } from '../driver/driver.ts';

/** What a fake server sends for one command: a reply, or nothing for `""`. It may also do something to the socket. */
export type Answer = (name: string, socket: Socket) => string;

/** Speaks just enough of the protocol to be misunderstood in every way that a case needs. */
export class FakeServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #node: RedisNode = { host: '', port: 0 };

  private constructor(answer: Answer) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (bytes) => {
        for (const name of commandNames(String(bytes))) {
          const reply = answer(name, socket);
          if (reply !== '') socket.write(reply);
        }
      });
    });
  }

  static async start(answer: Answer): Promise<FakeServer> {
    const server = new FakeServer(answer);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    const { address, port } = server.#server.address() as AddressInfo;
    server.#node = { host: address, port };
    return server;
  }

  get node(): RedisNode {
    return this.#node;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Commands of the cases are short, so that each arrives whole. What is none, such as the start of TLS, is `?`. */
function commandNames(text: string): string[] {
  if (!text.startsWith('*')) return ['?'];
  return [...text.matchAll(/\*\d+\r\n\$\d+\r\n([^\r]*)\r\n/g)].map(([, name = '']) => name.toUpperCase());
}
