import { execFile } from 'node:child_process';

export interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds. Default 10 s. */
  readonly timeout?: number;
}

/**
 * Runs a command without input and gives what it printed to stdout.
 *
 * @throws Error with what it printed to stderr when it cannot be started, fails or takes too long
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env, timeout = 10_000 } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      { cwd, env: { ...process.env, LC_ALL: 'C', ...env }, timeout, killSignal: 'SIGKILL', encoding: 'utf8' },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve(stdout);
          return;
        }
        const said = stderr.trim().split('\n').slice(-5).join('\n') || error.message;
        const late = error.killed === true ? ` (given up after ${timeout / 1000} s)` : '';
        reject(new Error(`${command} ${args[0] ?? ''}${late}: ${said}`, { cause: error }));
      },
    );
    child.stdin?.end();
  });
}
