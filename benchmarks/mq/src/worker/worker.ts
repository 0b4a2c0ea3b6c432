import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { WayName } from '../ways/ways.ts';
import type { Response, TaskName } from './protocol.ts';
import type { Tasks } from './tasks.ts';

type Input<T extends TaskName> = Parameters<Tasks[T]>[0];
type Output<T extends TaskName> = Awaited<ReturnType<Tasks[T]>>;

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A child process that carries orders by one way. It lives as long as a case, so that warm code is measured. */
export class Worker {
  readonly #way: WayName;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #ended: Error | undefined;

  /** @param program from `buildWorker` */
  constructor(program: string, way: WayName) {
    this.#way = way;
    // Without the loader of this process: what is measured is plain JavaScript.
    this.#process = fork(program, [way], { execArgv: [], serialization: 'advanced' });
    this.#process.on('message', (response: Response) => this.#answered(response));
    this.#process.on('exit', (code, signal) => {
      this.#end(new Error(`the worker for '${way}' ended with ${signal ?? code}`));
    });
  }

  /** @throws Error as a rejection, when the task fails or the process has ended */
  call<T extends TaskName>(task: T, input: Input<T>): Promise<Output<T>> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting['resolve'], reject });
      this.#process.send({ number, task, input });
    });
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill();
    await once(this.#process, 'exit');
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
