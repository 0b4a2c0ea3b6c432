/** Where servers run: this machine, or a container whose ports are this machine's. */
export interface Machine {
  /** Where its servers are reached from here. */
  readonly host: string;
  /** What its servers listen on. */
  readonly bind: string;
  /** Makes a new directory that holds `files` (name → content), for one server. */
  directory(files: Readonly<Record<string, string>>): Promise<string>;
  /**
   * Starts a server whose working directory is `directory` and waits until it takes connections.
   *
   * @throws PortTaken when somebody else listens on its port
   * @throws Error with the end of its log when it ends before, or takes longer than 30 s
   */
  start(directory: string, args: readonly string[]): Promise<ServerProcess>;
  /** Removes all directories. The servers have been stopped before. */
  close(): Promise<void>;
}

export interface ServerProcess {
  /** Sends a signal that ends it and waits for its end; one that has ended already is no error. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Sends a signal that does not end it. Nothing happens when it has ended. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/** A Redis or Valkey that can be started. */
export interface Program {
  /** What it is and where it comes from, such as `Redis 7.0.15 from /usr/bin/redis-server`. */
  readonly label: string;
  /** @param ports the ports that servers on this machine will listen on */
  machine(ports: readonly number[]): Promise<Machine>;
}

/** A free port was taken by somebody else before the server got it: others have to be tried. */
export class PortTaken extends Error {}

/** What a server logs once it takes connections: Redis and Valkey as a server, and as a Sentinel. */
export const READY = /Ready to accept connections|Sentinel ID is/;
export const ADDRESS_IN_USE = /Address already in use/;
export const START_TIMEOUT_MS = 30_000;
