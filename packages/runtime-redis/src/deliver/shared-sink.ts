import { type Logger, RsError, type StreamSink } from '@rs/core';
import { describeError } from '@rs/mq';
import { isPromise } from '@rs/runtime';

/**
 * A sink of the user, as the tasks of this process share it: opened before the first result of any of them, closed once at the end,
 * and called about one result at a time, as in memory. A sink that collects results and writes them when it has enough rests on that.
 */
export class SharedSink {
  readonly #sink: StreamSink<unknown>;
  readonly #label: string;
  readonly #logger: Logger;
  readonly #waiting: (() => void)[] = [];
  #busy = false;
  #touched = false;
  #open = false;
  #closing: Promise<void> | undefined;

  constructor(sink: StreamSink<unknown>, label: string, logger: Logger) {
    this.#sink = sink;
    this.#label = label;
    this.#logger = logger;
  }

  /**
   * @param stopped looked at when its turn has come: then the value is not wanted any more
   * @throws RsError `RS_SINK_FAILED` with what `open` or `invoke` of the sink throws as the cause; `RS_CLOSED`
   */
  async invoke(value: unknown, stopped: () => boolean): Promise<void> {
    if (this.#busy) await this.#turn();
    else this.#busy = true;
    try {
      if (this.#closing !== undefined || stopped()) {
        throw new RsError('RS_CLOSED', `${this.#label} is closed`);
      }
      await this.#call(value);
    } finally {
      this.#release();
    }
  }

  /** Whatever the sink throws is its failure, also an error of ours that it got elsewhere: a code of it says nothing about us. */
  async #call(value: unknown): Promise<void> {
    try {
      if (!this.#open) {
        this.#touched = true;
        await this.#sink.open?.();
        this.#open = true;
      }
      const result: unknown = this.#sink.invoke(value);
      if (isPromise(result)) await result;
    } catch (error) {
      const reason = describeError(error).message;
      throw new RsError('RS_SINK_FAILED', `${this.#label} failed: ${reason}`, {
        cause: error,
        details: { operator: this.#label },
      });
    }
  }

  /** Closes the sink after the call under way, if it was ever opened. An error is logged. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#busy) await this.#turn();
    else this.#busy = true;
    try {
      if (this.#touched) await this.#sink.close?.();
    } catch (error) {
      this.#logger.error({ sink: this.#label, error }, `closing ${this.#label} failed`);
    } finally {
      this.#release();
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}
