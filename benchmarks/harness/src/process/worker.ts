import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Request, Response } from './protocol.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A child process that does tasks in one way. It lives as long as a case, so that warm code is measured. */
export class Worker<T extends object> {
  readonly #way: string;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #ended: Error | undefined;

  /**
   * @param program from `buildWorker`
   * @param way its argument
   */
  constructor(program: string, way: string) {
    this.#way = way;
    // Without the loader of this process: what is measured is plain JavaScript.
    this.#process = fork(program, [way], { execArgv: [], serialization: 'advanced' });
    this.#process.on('message', (response: Response) => this.#answered(response));
    this.#process.on('exit', (code, signal) => {
      this.#end(new Error(`the worker for '${way}' ended with ${signal ?? code}`));
    });
  }

  /** @throws Error as a rejection, when the task fails or the process has ended */
  call<N extends TaskName<T>>(task: N, input: TaskInput<T, N>): Promise<TaskOutput<T, N>> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const request: Request = { number: this.#number++, task, input };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.number, { resolve: resolve as Waiting['resolve'], reject });
      this.#process.send(request);
    });
  }

  /** @param signal default SIGTERM */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }

  #answered({ number, output, failure }: Response): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (failure === undefined) waiting?.resolve(output);
    else waiting?.reject(new Error(`the worker for '${this.#way}' failed: ${failure}`));
  }

  #end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
