import { failureOf } from '../failure.ts';
import type { Task } from '../operator/task.ts';
import { isPromise, silence } from '../promise.ts';
import type { Steps } from './steps.ts';

/** Calls hooks of one sink, and waits for them where the run can wait. */
export class SinkCalls {
  readonly #task: Task;
  /** How messages call the sink. */
  readonly sink: string;

  constructor(task: Task, sink: string) {
    this.#task = task;
    this.sink = sink;
  }

  /** @throws RsError what the hook throws, with the sink's name; `RS_ASYNC_IN_EAGER_RUN` for a promise nobody can wait for */
  *call(hook: string, fn: () => unknown): Steps {
    let result;
    try {
      result = fn();
    } catch (error) {
      throw this.#failed(error);
    }
    if (!isPromise(result)) return;
    if (this.#task.options.mode === 'sync') {
      silence(result);
      throw this.#task.asyncRefused(`${hook}() of ${this.sink}`);
    }
    try {
      yield result;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): Error {
    return failureOf('RS_SINK_FAILED', this.sink, error);
  }
}
