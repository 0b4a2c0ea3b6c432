import type { FilterFunction, FlatMapFunction, MapFunction, MaybePromise } from '@rs/core';
import type { Gate } from './gate.ts';
import { isPromise } from '../promise.ts';
import { KeyScope } from './call-scope.ts';
import { resultsOf } from './flat-map-results.ts';
import type { KeyedGroup } from './keyed-group.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';

/** What operators without time and state share: everything but records passes through, in its place among them. */
abstract class StatelessOperator<T> implements Receiver<T> {
  readonly inputs = [this];
  protected readonly gate: Gate;
  readonly watermarkTarget: AnyReceiver;
  protected readonly out: AnyReceiver;

  constructor(gate: Gate, out: AnyReceiver) {
    this.gate = gate;
    this.out = out;
    this.watermarkTarget = watermarkTarget(out);
  }

  abstract record(value: T, timestamp: number, key: unknown): void;

  watermark(timestamp: number): void {
    if (this.gate.busy) this.gate.holdWatermark(this, timestamp);
    else this.out.watermark(timestamp);
  }

  status(idle: boolean): void {
    if (this.gate.busy) this.gate.holdStatus(this, idle);
    else this.out.status(idle);
  }

  end(): void {
    if (this.gate.busy) this.gate.holdEnd(this);
    else this.out.end();
  }
}

export class MapOperator<T, R> extends StatelessOperator<T> {
  readonly #fn: MapFunction<T, R>;

  constructor(gate: Gate, out: AnyReceiver, fn: MapFunction<T, R>) {
    super(gate, out);
    this.#fn = fn;
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    let result;
    try {
      result = this.call(value, timestamp, key);
    } catch (error) {
      throw this.gate.failed(error);
    }
    if (isPromise(result)) this.gate.emitSettled(result, this.out, timestamp, key);
    else this.out.record(result, timestamp, key);
  }

  protected call(value: T, _timestamp: number, _key: unknown): MaybePromise<R> {
    return this.#fn(value);
  }
}

/** `keyed.map(…)`: the key is carried over, and the keyed stream's state can be used. */
export class KeyedMapOperator<T, R> extends MapOperator<T, R> {
  readonly #group: KeyedGroup;

  constructor(gate: Gate, out: AnyReceiver, group: KeyedGroup, fn: MapFunction<T, R>) {
    super(gate, out, fn);
    this.#group = group;
  }

  protected override call(value: T, timestamp: number, key: unknown): MaybePromise<R> {
    this.#group.follow(timestamp);
    const scope = new KeyScope(this.gate.operator, key, this.#group.slots());
    let result;
    try {
      result = this.#group.binding.run(scope, () => super.call(value, timestamp, key));
    } catch (error) {
      scope.close();
      throw error;
    }
    if (isPromise(result)) return scope.closeAfter(result, this.gate.task);
    scope.close();
    return result;
  }
}

export class FilterOperator<T> extends StatelessOperator<T> {
  readonly #predicate: FilterFunction<T>;

  constructor(gate: Gate, out: AnyReceiver, predicate: FilterFunction<T>) {
    super(gate, out);
    this.#predicate = predicate;
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    let keep;
    try {
      keep = this.#predicate(value);
    } catch (error) {
      throw this.gate.failed(error);
    }
    if (isPromise(keep)) this.#decideLater(keep, value, timestamp, key);
    else if (keep) this.out.record(value, timestamp, key);
  }

  #decideLater(keep: PromiseLike<boolean>, value: T, timestamp: number, key: unknown): void {
    this.gate.suspend(keep, (settled) => {
      if (settled) this.out.record(value, timestamp, key);
    });
  }
}

export class FlatMapOperator<T, R> extends StatelessOperator<T> {
  readonly #fn: FlatMapFunction<T, R>;

  constructor(gate: Gate, out: AnyReceiver, fn: FlatMapFunction<T, R>) {
    super(gate, out);
    this.#fn = fn;
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    let results;
    try {
      results = this.#fn(value);
    } catch (error) {
      throw this.gate.failed(error);
    }
    if (isPromise(results)) this.#emitLater(results, timestamp, key);
    else this.#emit(results, timestamp, key);
  }

  #emitLater(results: PromiseLike<Iterable<R> | null | undefined>, timestamp: number, key: unknown): void {
    this.gate.suspend(results, (settled) => this.#emit(settled, timestamp, key));
  }

  #emit(results: Iterable<R> | null | undefined, timestamp: number, key: unknown): void {
    try {
      for (const result of resultsOf(results)) {
        if (this.gate.task.stopped) return;
        this.out.record(result, timestamp, key);
      }
    } catch (error) {
      // The iterator may be a generator of the user's. Errors from further down have their operator's name already.
      throw this.gate.failed(error);
    }
  }
}
