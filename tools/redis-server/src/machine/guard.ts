import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { ADDRESS_IN_USE, PortTaken, READY, START_TIMEOUT_MS, type ServerProcess } from './machine.ts';

/**
 * Runs a command for as long as somebody holds the other end of its standard input. That end is closed by the kernel
 * however its holder dies, so nothing that was started outlives a test process, not even one that was killed with -9.
 *
 * The guard is the parent of the command: the command's pid stays reserved until the guard has seen it end, so the guard
 * never kills a stranger.
 */
const GUARD = `
exec 3<&0
"$@" 3<&- &
command=$!
echo "pid $command"
{ while read -r line; do :; done <&3; kill -9 $command; } &
reader=$!
wait $command
kill $reader
`;

/** How much of a log is kept for the message about a server that did not start. */
const LOG_LENGTH = 4000;

export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a server under a guard and waits until its log says that it is ready.
 *
 * @throws as `Machine.start`
 */
export async function startGuarded({ command, args, cwd, env }: GuardedCommand): Promise<ServerProcess> {
  // Detached: a Ctrl-C in the terminal must reach this process alone, and the guard do its work then.
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', command, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const running = { pid: undefined as number | undefined, log: '' };
  const ended = new Promise<void>((resolve) => {
    guard.once('exit', () => {
      running.pid = undefined;
      resolve();
    });
    guard.once('error', () => {
      resolve();
    });
  });

  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      guard.stdin.end();
      reject(
        new Error(`${command} was not ready after ${START_TIMEOUT_MS / 1000} s. It said:\n${running.log}`),
      );
    }, START_TIMEOUT_MS);
    const read = (chunk: string): void => {
      running.log = (running.log + chunk).slice(-LOG_LENGTH);
      if (running.pid === undefined) running.pid = pidIn(running.log);
      if (READY.test(running.log)) {
        clearTimeout(timer);
        resolve();
      }
    };
    guard.stdout.setEncoding('utf8').on('data', read);
    guard.stderr.setEncoding('utf8').on('data', read);
    guard.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    guard.once('close', () => {
      clearTimeout(timer);
      const message = `${command} ended before it was ready. It said:\n${running.log}`;
      reject(ADDRESS_IN_USE.test(running.log) ? new PortTaken(message) : new Error(message));
    });
  });
  await ready;

  // A server that nobody stopped must not keep the process from ending; the guard stops it then.
  guard.unref();
  for (const stream of guard.stdio) if (stream instanceof Socket) stream.unref();
  const send = (signal: NodeJS.Signals): void => {
    if (running.pid === undefined) return;
    try {
      process.kill(running.pid, signal);
    } catch (error) {
      // It has ended by itself, and its guard has yet to say so.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return {
    end: async (signal) => {
      guard.ref();
      send(signal);
      await ended;
    },
    signal: async (signal) => {
      send(signal);
    },
  };
}

function pidIn(log: string): number | undefined {
  const digits = /^pid (\d+)$/m.exec(log)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
