import { checkTimestamp, type MaybePromise, RsError, type SourceContext, type StreamSource } from '@rs/core';
import { type AnyReceiver, asRsError, isPromise, NOWHERE, type PumpResult, type SourceReader, type Task } from '@rs/runtime';

/** Records that may wait for the pipeline before `collect` asks the source to wait too. */
const BUFFER = 256;
/** Records that may wait at most: a source that does not wait is stopped here, so that memory stays bounded. */
const HARD_LIMIT = 65_536;

interface Buffered {
  readonly value: unknown;
  readonly timestamp: number;
}

/**
 * Runs a user's source. What it collects goes straight into the pipeline while that keeps up; while the pipeline waits
 * for a promise, it waits here.
 */
export class CustomSourceReader implements SourceReader, SourceContext<unknown> {
  readonly name: string;
  readonly #source: StreamSource<unknown>;
  readonly #abort = new AbortController();
  #out: AnyReceiver = NOWHERE;
  #task: Task | undefined;
  #buffer: Buffered[] = [];
  #fallback = 0;
  #state: 'new' | 'running' | 'done' = 'new';
  #failure: { readonly error: unknown } | undefined;
  /** Resolves when there is something to pump. */
  #ready: Signal | undefined;
  /** Resolves when there is room again. */
  #room: Signal | undefined;

  constructor(name: string, source: StreamSource<unknown>) {
    this.name = name;
    this.#source = source;
  }

  open(): MaybePromise<void> | undefined {
    return this.#source.open?.();
  }

  pump(out: AnyReceiver, task: Task, limit: number): PumpResult {
    this.#out = out;
    this.#task = task;
    if (this.#state === 'new') this.#start();
    for (let sent = 0; sent < limit && !task.attention; sent++) {
      const next = this.#buffer.shift();
      if (next === undefined) break;
      out.record(next.value, next.timestamp, undefined);
    }
    if (this.#buffer.length < BUFFER) this.#room = resolve(this.#room);
    if (this.#buffer.length > 0 || task.attention) return 'more';
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#state === 'done') return 'ended';
    this.#ready = newSignal();
    return this.#ready.promise;
  }

  cancel(): void {
    this.#abort.abort();
    this.#room = resolve(this.#room);
    if (this.#state === 'running') this.#source.cancel?.();
  }

  close(): MaybePromise<void> | undefined {
    this.#abort.abort();
    return this.#source.close?.();
  }

  // The context that the source sees.

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isStopped(): boolean {
    return this.#abort.signal.aborted || this.#task?.stopped === true;
  }

  collect(value: unknown): MaybePromise<void> {
    return this.#emit(value, this.#fallback++);
  }

  collectWithTimestamp(value: unknown, timestamp: number): MaybePromise<void> {
    const checked = Number.isSafeInteger(timestamp) ? timestamp : checkTimestamp(timestamp, `${this.name}: collectWithTimestamp`);
    return this.#emit(value, checked);
  }

  #start(): void {
    this.#state = 'running';
    let running;
    try {
      running = this.#source.run(this);
    } catch (error) {
      this.#finish({ error });
      return;
    }
    if (!isPromise(running)) return this.#finish();
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
    this.#ready = resolve(this.#ready);
  }

  #emit(value: unknown, timestamp: number): MaybePromise<void> {
    const task = this.#task;
    if (task !== undefined && !task.attention && this.#buffer.length === 0 && this.#state === 'running') {
      this.#out.record(value, timestamp, undefined);
      return undefined;
    }
    return this.#emitSlowly(task, value, timestamp);
  }

  #emitSlowly(task: Task | undefined, value: unknown, timestamp: number): MaybePromise<void> {
    if (task === undefined || this.#state === 'done') {
      throw new RsError('RS_CLOSED', `${this.name}: collect was called after run() had ended`, { details: { operator: this.name } });
    }
    task.throwFailure();
    if (task.stopped) return undefined; // Cancelled: what comes now has no effect.
    if (this.#buffer.length >= HARD_LIMIT) {
      throw new RsError(
        'RS_BACKPRESSURE_IGNORED',
        `${this.name}: ${HARD_LIMIT} records are waiting for the pipeline; await the promise that collect returns before emitting more`,
        { details: { operator: this.name } },
      );
    }
    this.#buffer.push({ value, timestamp });
    this.#ready = resolve(this.#ready);
    if (this.#buffer.length < BUFFER) return undefined;
    this.#room ??= newSignal();
    return this.#room.promise;
  }
}

interface Signal {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function newSignal(): Signal {
  let resolvePromise: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolvePromise = done;
  });
  return { promise, resolve: resolvePromise };
}

function resolve(signal: Signal | undefined): undefined {
  signal?.resolve();
  return undefined;
}
