import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** After this time the command and everything it started is killed: a hanging test must not hang the check. */
  readonly timeoutMs: number;
}

/**
 * Runs a command without input and shows its output.
 *
 * @returns true when it ended well and in time
 * @throws Error when it cannot be started or takes too long
 */
export function succeeds(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<boolean> {
  const { cwd, env = process.env, timeoutMs } = options;
  return new Promise((resolve, reject) => {
    // Detached makes it the leader of a process group, so that its grandchildren can be killed with it.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      reject(new Error(`${[command, ...args].join(' ')} did not end within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}
