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
  failureOf,
  Fifo,
  isPromise,
  NOWHERE,
  type PumpResult,
  type SourceReader,
  type Task,
} from '@rs/runtime';
import { Refusal } from './refusal.ts';
import { newSignal, resolveSignal, type Signal } from './signal.ts';
import { tooShort } from './too-short.ts';

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
  readonly #buffer = new Fifo<Buffered>();
  #fallback = 0;
  /** Records sent in this turn. */
  #sent = 0;
  /** Records that were taken out of the buffer or past it, also those that are dropped. */
  #next = 0;
  /** Records before it are dropped. */
  #first = 0;
  /** True while a record is on its way: what it leads to may collect another one. */
  #sending = false;
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
        // The message is only made when there is something to say: this runs for every record. Adding 0 turns -0 into 0.
        Number.isSafeInteger(timestamp) ? this.#emit(value, timestamp + 0) : this.#refuseTime(timestamp),
      isStopped: () => this.#abort.signal.aborted || this.#task?.stopped === true,
      signal: this.#abort.signal,
    });
  }

  open(): unknown {
    return this.#source.open?.();
  }

  position(): number {
    return Math.max(this.#first, this.#next);
  }

  seek(position: number): void {
    this.#first = position;
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    this.#out = out;
    this.#task = task;
    if (this.#state === 'new') this.#start();
    this.#drain(out, task, limit);
    this.#sent = 0;
    if (this.#buffer.length < BUFFER) this.#room = resolveSignal(this.#room);
    if (this.#buffer.length > 0 || task.attention) return 'more';
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#state === 'done') {
      if (this.#next < this.#first) throw tooShort(this.name, this.#first, this.#next);
      return 'ended';
    }
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
      this.#failure = { error: failureOf('RS_SOURCE_FAILED', this.name, failure.error) };
    }
    this.#ready = resolveSignal(this.#ready);
  }

  #drain(out: AnyReceiver, task: Task, limit: number): void {
    for (let sent = 0; sent < limit && !task.attention; sent++) {
      const next = this.#buffer.shift();
      if (next === undefined) return;
      if (this.#next++ >= this.#first) out.record(next.value, next.timestamp, undefined);
    }
  }

  #emit(value: unknown, timestamp: number): MaybePromise<void> {
    const task = this.#task;
    if (task === undefined || task.attention || this.#buffer.length > 0 || this.#state === 'done') {
      return this.#emitSlowly(task, value, timestamp);
    }
    try {
      this.#send(task, value, timestamp);
    } catch (error) {
      task.fail(error);
      return this.#refuse(error);
    }
    // The driver sleeps. It must know when the pipeline waits, and of a timer that comes before what it waits for.
    if (task.attention || task.options.processingTime === 'clock') this.#ready = resolveSignal(this.#ready);
    // While run() is on the stack nobody else can be served.
    return ++this.#sent < TURN || this.#state === 'starting' ? undefined : this.#endTurn();
  }

  #send(task: Task, value: unknown, timestamp: number): void {
    if (this.#next++ < this.#first) return;
    if (this.#sending) return this.#out.record(value, timestamp, undefined);
    this.#sending = true;
    this.#out.record(value, timestamp, undefined);
    this.#sending = false;
    // While run() is on the stack the driver, which would do it, is waiting for that.
    if (task.attention && this.#state === 'starting') task.takeBreak();
  }

  #emitSlowly(task: Task | undefined, value: unknown, timestamp: number): MaybePromise<void> {
    if (task?.stopped === true) {
      return this.#refuse(
        this.#error('RS_CLOSED', 'the run is being stopped and takes no more records; return from run()'),
      );
    }
    if (task === undefined || this.#state === 'done') {
      return this.#refuse(this.#error('RS_CLOSED', 'collect was called after run() had ended'));
    }
    if (this.#buffer.length >= HARD_LIMIT) {
      const error = this.#error(
        'RS_BACKPRESSURE_IGNORED',
        `${HARD_LIMIT} records are waiting for the pipeline; await the promise that collect returns before emitting more`,
      );
      task.fail(error);
      return this.#refuse(error);
    }
    this.#buffer.push({ value, timestamp });
    this.#ready = resolveSignal(this.#ready);
    if (this.#buffer.length < BUFFER) return undefined;
    this.#room ??= newSignal();
    return this.#room.promise;
  }

  #refuseTime(timestamp: number): PromiseLike<never> {
    try {
      checkTimestamp(timestamp, `${this.name}: collectWithTimestamp`);
    } catch (error) {
      return this.#refuse(error, () => this.#task?.fail(error));
    }
    throw this.#error('RS_INVALID_TIMESTAMP', 'collectWithTimestamp got a timestamp that is no safe integer');
  }

  /** Lets the driver serve others before a source goes on that never waits for anything but its own records. */
  #endTurn(): Promise<void> {
    this.#ready = resolveSignal(this.#ready);
    this.#room ??= newSignal();
    return this.#room.promise;
  }

  /**
   * Thrown while `run` is on the stack, where nobody but the source can catch it. Later the source may be called by an
   * event, where an error thrown would take down the process: then it gets an answer that it may await or leave.
   */
  #refuse(error: unknown, ignored: () => void = () => undefined): PromiseLike<never> {
    if (this.#state === 'starting') throw error;
    return new Refusal(error, ignored);
  }

  #error(code: ErrorCode, message: string): RsError {
    return new RsError(code, `${this.name}: ${message}`, { details: { operator: this.name } });
  }
}
