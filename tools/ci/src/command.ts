import { spawn } from 'node:child_process';
import { killGroup } from './kill-group.ts';

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** After this time the command and everything it started is killed: a hanging test must not hang the check. */
  readonly timeoutMs: number;
}

/** This process was told to stop, and has passed it on: nothing further is to be started. */
export class Interrupted extends Error {}

/** What stops a process from outside. */
const FORWARDED = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs a command without input and shows its output. It runs in a process group of its own, so SIGINT and SIGTERM that
 * this process gets meanwhile are passed on to that group.
 *
 * @returns true when it ended well and in time
 * @throws Interrupted when a signal was passed on, once the command has ended
 * @throws Error when it cannot be started or takes too long
 */
export function succeeds(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<boolean> {
  const { cwd, env = process.env, timeoutMs } = options;
  const text = [command, ...args].join(' ');
  return new Promise((resolve, reject) => {
    // Detached makes it the leader of a process group, so that its grandchildren can be killed with it.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
    let interrupt: NodeJS.Signals | undefined;
    const kill = (signal: NodeJS.Signals): void => {
      if (child.pid !== undefined) killGroup(child.pid, signal);
    };
    const forward = (signal: NodeJS.Signals): void => {
      interrupt = signal;
      kill(signal);
    };
    const timer = setTimeout(() => {
      kill('SIGKILL');
      reject(new Error(`${text} did not end within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    for (const signal of FORWARDED) process.on(signal, forward);
    const tidyUp = (): void => {
      clearTimeout(timer);
      for (const signal of FORWARDED) process.off(signal, forward);
    };
    child.once('error', (error) => {
      tidyUp();
      reject(error);
    });
    child.once('close', (code) => {
      tidyUp();
      if (interrupt === undefined) resolve(code === 0);
      else reject(new Interrupted(`${text} was stopped by ${interrupt}`));
    });
  });
}
