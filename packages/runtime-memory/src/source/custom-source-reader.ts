import {
  checkTimestamp,
  type ErrorCode,
  type MaybePromise,
  RsError,
  type SourceContext,
  type StreamSource,
} from '@rs/core';
import {
  type AnyReceiver,
  asRsError,
  isPromise,
  NOWHERE,
  type PumpResult,
  type SourceReader,
  type Task,
} from '@rs/runtime';
import { newSignal, resolveSignal, type Signal } from './signal.ts';

/** Records that may wait for the pipeline before `collect` asks the source to wait too. */
const BUFFER = 256;
/** Records that may wait at most: a source that does not wait is stopped here, so that memory stays bounded. */
const HARD_LIMIT = 65_536;
/** Records that a source may send between two looks of the driver, which has others to serve. */
const TURN = 1024;

interface Buffered {
  readonly value: unknown;
  readonly timestamp: number;
}

/**
 * Runs a user's source. What it collects goes straight into the pipeline while that keeps up; while the pipeline waits
 * for a promise, it waits here.
 */
export class CustomSourceReader implements SourceReader {
  readonly name: string;
  readonly #source: StreamSource<unknown>;
  /** What the source sees. Its methods may be taken apart from it. */
  readonly #context: SourceContext<unknown>;
  readonly #abort = new AbortController();
  #out: AnyReceiver = NOWHERE;
  #task: Task | undefined;
  /** Waiting records; those before `#next` have been sent. */
  #buffer: Buffered[] = [];
  #next = 0;
  #fallback = 0;
  #sent = 0;
  /** `starting` while the synchronous part of `run` is on the stack: only then can an error be thrown to the source. */
  #state: 'new' | 'starting' | 'running' | 'done' = 'new';
  #failure: { readonly error: unknown } | undefined;
  /** Resolves when there is something to pump. */
  #ready: Signal | undefined;
  /** Resolves when the source may go on. */
  #room: Signal | undefined;

  constructor(name: string, source: StreamSource<unknown>) {
    this.name = name;
    this.#source = source;
    this.#context = Object.freeze({
      collect: (value: unknown) => this.#emit(value, this.#fallback++),
      collectWithTimestamp: (value: unknown, timestamp: number) =>
        this.#emit(value, checkTimestamp(timestamp, `${name}: collectWithTimestamp`)),
      isStopped: () => this.#abort.signal.aborted || this.#task?.stopped === true,
      signal: this.#abort.signal,
    });
  }

  open(): unknown {
    return this.#source.open?.();
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    this.#out = out;
    this.#task = task;
    if (this.#state === 'new') this.#start();
    this.#drain(out, task, limit);
    this.#sent = 0;
    if (this.#waiting() < BUFFER) this.#room = resolveSignal(this.#room);
    if (this.#waiting() > 0 || task.attention) return 'more';
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#state === 'done') return 'ended';
    this.#ready = newSignal();
    return this.#ready.promise;
  }

  cancel(): unknown {
    const running = this.#state === 'running';
    this.#abort.abort();
    this.#room = resolveSignal(this.#room);
    return running ? this.#source.cancel?.() : undefined;
  }

  close(): unknown {
    this.#abort.abort();
    return this.#source.close?.();
  }

  #start(): void {
    this.#state = 'starting';
    let running;
    try {
      running = this.#source.run(this.#context);
    } catch (error) {
      this.#finish({ error });
      return;
    }
    if (!isPromise(running)) return this.#finish();
    this.#state = 'running';
    running.then(
      () => this.#finish(),
      (error: unknown) => this.#finish({ error }),
    );
  }

  #finish(failure?: { readonly error: unknown }): void {
    this.#state = 'done';
    // The pipeline's own failure comes up through collect; it is not the source's.
    if (failure !== undefined && this.#task?.failed !== true) {
      this.#failure = { error: asRsError('RS_SOURCE_FAILED', this.name, failure.error) };
    }
    this.#ready = resolveSignal(this.#ready);
  }

  #waiting(): number {
    return this.#buffer.length - this.#next;
  }

  #drain(out: AnyReceiver, task: Task, limit: number): void {
    const end = Math.min(this.#buffer.length, this.#next + limit);
    while (this.#next < end && !task.attention) {
      const { value, timestamp } = this.#buffer[this.#next++] as Buffered;
      out.record(value, timestamp, undefined);
    }
    // Not one by one: taking the first element off a long array costs as much as the array is long.
    if (this.#next === 0 || 2 * this.#next < this.#buffer.length) return;
    this.#buffer = this.#buffer.slice(this.#next);
    this.#next = 0;
  }

  #emit(value: unknown, timestamp: number): MaybePromise<void> {
    const task = this.#task;
    if (task === undefined || task.attention || this.#waiting() > 0 || this.#state === 'done') {
      return this.#emitSlowly(task, value, timestamp);
    }
    try {
      this.#out.record(value, timestamp, undefined);
    } catch (error) {
      task.fail(error);
      return this.#refuse(error);
    }
    // The driver sleeps. It must know when the pipeline waits, and of a timer that comes before what it waits for.
    if (task.attention || task.options.processingTime === 'clock') this.#ready = resolveSignal(this.#ready);
    return ++this.#sent < TURN ? undefined : this.#endTurn();
  }

  #emitSlowly(task: Task | undefined, value: unknown, timestamp: number): MaybePromise<void> {
    if (task?.stopped === true) {
      return this.#refuse(
        this.#error('RS_CLOSED', 'the run is being stopped and takes no more records; return from run()'),
      );
    }
    if (task === undefined || this.#state === 'done') {
      throw this.#error('RS_CLOSED', 'collect was called after run() had ended');
    }
    if (this.#waiting() >= HARD_LIMIT) {
      const error = this.#error(
        'RS_BACKPRESSURE_IGNORED',
        `${HARD_LIMIT} records are waiting for the pipeline; await the promise that collect returns before emitting more`,
      );
      task.fail(error);
      return this.#refuse(error);
    }
    this.#buffer.push({ value, timestamp });
    this.#ready = resolveSignal(this.#ready);
    if (this.#waiting() < BUFFER) return undefined;
    this.#room ??= newSignal();
    return this.#room.promise;
  }

  /** Lets the driver serve others before a source goes on that never waits for anything but its own records. */
  #endTurn(): Promise<void> {
    this.#ready = resolveSignal(this.#ready);
    this.#room ??= newSignal();
    return this.#room.promise;
  }

  /**
   * Thrown while `run` is on the stack, where nobody but the source can catch it. Later the source may be called by an
   * event, where an error thrown would take down the process: then it gets a promise that it may await or leave.
   */
  #refuse(error: unknown): Promise<void> {
    if (this.#state === 'starting') throw error;
    const refusal = rejected(error);
    refusal.catch(() => undefined);
    return refusal;
  }

  #error(code: ErrorCode, message: string): RsError {
    return new RsError(code, `${this.name}: ${message}`, { details: { operator: this.name } });
  }
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}
