import { eventually } from '../eventually.ts';
import { ADDRESS_IN_USE, type Machine, PortTaken, READY, START_TIMEOUT_MS } from './machine.ts';

/** What is used of a container of testcontainers. */
export interface Container {
  getHost(): string;
  copyContentToContainer(contents: { content: string; target: string }[]): Promise<void>;
  exec(command: string[]): Promise<{ readonly output: string; readonly exitCode: number }>;
  stop(options: { timeout: number }): Promise<unknown>;
}

/** Ends when the server has ended, so its exec shows that. */
const RUN = 'cd "$1"; shift; redis-server "$@" >log 2>&1 & echo $! >pid; wait';
const LOG_LINES = '40';

/**
 * Servers in one container whose ports are published under the same numbers, so that the addresses which servers of a
 * cluster tell their clients hold inside and outside.
 *
 * @param root a directory of the container for those of its servers
 */
export function containerMachine(container: Container, root: string): Machine {
  let directories = 0;
  const output = async (...command: string[]): Promise<string> => {
    const result = await container.exec(command);
    return result.exitCode === 0 ? result.output : '';
  };
  return {
    // A name could stand for an IPv6 address first, which the servers do not tell each other.
    host: container.getHost() === 'localhost' ? '127.0.0.1' : container.getHost(),
    bind: '*',
    directory: async (files) => {
      directories += 1;
      const directory = `${root}/${directories}`;
      await container.exec(['mkdir', '-p', directory]);
      await container.copyContentToContainer(
        Object.entries(files).map(([name, content]) => ({ content, target: `${directory}/${name}` })),
      );
      return directory;
    },
    start: async (directory, args) => {
      const log = `${directory}/log`;
      await container.exec(['rm', '-f', log, `${directory}/pid`]);
      let running = true;
      const ended = container.exec(['sh', '-c', RUN, 'run', directory, ...args]).then(
        () => {
          running = false;
        },
        () => {
          running = false;
        },
      );
      await eventually(
        'the server in the container to be ready',
        async () => (!running || READY.test(await output('tail', '-n', LOG_LINES, log)) ? true : undefined),
        { timeout: START_TIMEOUT_MS },
      );
      if (!running) {
        const said = await output('tail', '-n', LOG_LINES, log);
        const message = `redis-server ended before it was ready. It said:\n${said}`;
        throw ADDRESS_IN_USE.test(said) ? new PortTaken(message) : new Error(message);
      }
      const pid = (await output('cat', `${directory}/pid`)).trim();
      const send = async (signal: string): Promise<void> => {
        if (running) await container.exec(['kill', `-${signal.slice('SIG'.length)}`, pid]);
      };
      return {
        end: async (signal) => {
          await send(signal);
          await ended;
        },
        signal: send,
      };
    },
    close: async () => {
      await container.stop({ timeout: 0 });
    },
  };
}
