import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** Keeps a list of pids, one command a line, and kills what is left of it when its standard input ends. */
const KEEPER = `
pids=" "
while read -r what pid; do
  case $what in
    add) pids="$pids$pid " ;;
    drop) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
[ "$pids" = " " ] || kill -9 $pids
`;

/**
 * Kills workers that outlive this process, however it ends. The kernel closes the keeper's standard input then; a worker that
 * is stopped could not notice by itself.
 */
export class Keeper {
  readonly #shell: ChildProcess;

  private constructor(shell: ChildProcess) {
    this.#shell = shell;
  }

  static async start(): Promise<Keeper> {
    // Detached: a Ctrl-C in the terminal must not end it before this process.
    const shell = spawn('/bin/sh', ['-c', KEEPER], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    await once(shell, 'spawn');
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return new Keeper(shell);
  }

  add(pid: number): void {
    this.#shell.stdin?.write(`add ${pid}\n`);
  }

  /** It has ended: its number may be another process's soon. */
  drop(pid: number): void {
    this.#shell.stdin?.write(`drop ${pid}\n`);
  }

  async close(): Promise<void> {
    const ended = once(this.#shell, 'exit');
    this.#shell.ref();
    this.#shell.stdin?.end();
    await ended;
  }
}
