import type { Machine, Program } from '../machine/machine.ts';
import { withFreePorts } from '../machine/ports.ts';
import { OwnServer, type TlsFiles } from './server.ts';

export interface ServerSpec {
  readonly port: number;
  /** Name → content; the first is the configuration file, and the server's first argument. */
  readonly files: Readonly<Record<string, string>>;
  /** Further arguments. */
  readonly args?: readonly string[];
  readonly password?: string | undefined;
  readonly tls?: TlsFiles | undefined;
}

/** Servers that start, live and end together on one machine. */
export class ServerGroup {
  readonly machine: Machine;
  readonly #servers: OwnServer[] = [];
  #stopped: Promise<void> | undefined;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  /** @throws as {@link Machine.start} */
  async start({ port, files, args = [], password, tls }: ServerSpec): Promise<OwnServer> {
    const { machine } = this;
    const directory = await machine.directory(files);
    const server = new OwnServer({
      machine,
      directory,
      args: [...Object.keys(files).slice(0, 1), ...args],
      address: { host: machine.host, port, password, tls },
    });
    this.#servers.push(server);
    await server.start();
    return server;
  }

  /** Ends all servers and removes what they left. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()));
    await this.machine.close();
  }
}

/**
 * Has `start` bring up servers on free ports. When it fails nothing stays behind, and when that was because of a port
 * it is called again with others.
 */
export function startGroup<T>(
  program: Program,
  portCount: number,
  start: (group: ServerGroup, ports: readonly number[]) => Promise<T>,
): Promise<T> {
  return withFreePorts(portCount, async (ports) => {
    const group = new ServerGroup(await program.machine(ports));
    try {
      return await start(group, ports);
    } catch (error) {
      await group.stop();
      throw error;
    }
  });
}
