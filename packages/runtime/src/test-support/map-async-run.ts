import type { AsyncMapFunction } from '@rs/core';
import { MapAsyncOperator, type MapAsyncSpec } from '../operator/async-map/map-async.ts';
import { Gate } from '../operator/gate.ts';
import type { AnyReceiver } from '../operator/receiver.ts';
import type { ItemPlaces, Task } from '../operator/task.ts';
import { Deferred } from './deferred.ts';
import { ManualScheduler } from './manual-scheduler.ts';
import { newTask } from './new-task.ts';
import { Recorder } from './recorder.ts';
import { turn } from './turn.ts';

/** A call of the user's function, which the test answers. */
export class OpenCall extends Deferred<string> {
  readonly value: string;
  readonly attempt: number;
  readonly signal: AbortSignal;

  constructor(value: string, attempt: number, signal: AbortSignal) {
    super();
    this.value = value;
    this.attempt = attempt;
    this.signal = signal;
  }
}

export interface MapAsyncRunOptions {
  /** Default `async`. */
  readonly mode?: 'sync' | 'async';
  readonly places?: ItemPlaces;
  /** What the operator sends to, in place of the recorder. */
  readonly out?: (task: Task) => AnyReceiver;
}

/** A `mapAsync` whose calls the test answers, unless it is given a function. */
export class MapAsyncRun {
  readonly scheduler = new ManualScheduler();
  readonly out = new Recorder();
  readonly task: Task;
  readonly operator: MapAsyncOperator<string, string>;
  readonly calls: OpenCall[] = [];

  constructor(
    spec: Partial<MapAsyncSpec<string, string>> = {},
    { mode = 'async', places, out = () => this.out }: MapAsyncRunOptions = {},
  ) {
    this.task = newTask({ mode, scheduler: this.scheduler, random: () => 0.5 });
    this.task.places = places;
    this.operator = new MapAsyncOperator(new Gate(this.task, "mapAsync 'ask'"), out(this.task), {
      fn: this.#open,
      concurrency: 3,
      ordered: true,
      timeout: undefined,
      retry: { attempts: 1, delay: 100, maxDelay: 1000, retryIf: () => true },
      ...spec,
    });
  }

  /** Sends records in, as values with their timestamps. */
  feed(...records: readonly (readonly [value: string, timestamp: number])[]): this {
    for (const [value, timestamp] of records) this.operator.record(value, timestamp, `key of ${value}`);
    return this;
  }

  /** The last call about a value. */
  call(value: string): OpenCall {
    const call = this.calls.findLast((one) => one.value === value);
    if (call === undefined) throw new Error(`no call about ${value}`);
    return call;
  }

  /** The values that the function was called with. */
  called(): string[] {
    return this.calls.map(({ value }) => value);
  }

  /** Answers calls, one after the other, with their values in capitals. */
  async answer(...values: readonly string[]): Promise<this> {
    for (const value of values) {
      this.call(value).resolve(value.toUpperCase());
      await turn();
    }
    return this;
  }

  readonly #open: AsyncMapFunction<string, string> = (value, { attempt, signal }) => {
    const call = new OpenCall(value, attempt, signal);
    this.calls.push(call);
    return call.promise;
  };
}
