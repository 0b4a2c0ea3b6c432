import { Fifo } from '../../fifo.ts';
import { type Gate, inPlace } from '../gate.ts';
import type { OperatorInstance } from '../operator.ts';
import type { AnyReceiver, Receiver } from '../receiver.ts';
import { AsyncCall, type CallSpec } from './call.ts';
import { OrderedResults, type Results, UnorderedResults } from './results.ts';

export interface MapAsyncSpec<T, R> extends CallSpec<T, R> {
  /** Records that may be under way at once. */
  readonly concurrency: number;
  readonly ordered: boolean;
}

/** Sends an item on, or starts what leads to one. */
type Step = () => void;

/**
 * Calls a function about several records at once. Watermarks, status and end wait for what came before them, so no
 * `watermarkTarget` may lead past this operator.
 *
 * A record is under way from its first call until its result was sent on; this is background work, so that the sources go
 * on. At the limit the operator counts as pending, as a busy gate does; items that come nevertheless wait in order.
 *
 * Invariant: `#waiting` is empty unless `#underWay` is at the limit, and nothing is in `#results` unless something is
 * under way.
 */
export class MapAsyncOperator<T, R> implements Receiver<T>, OperatorInstance {
  readonly inputs = [this];
  readonly #gate: Gate;
  readonly #out: AnyReceiver;
  readonly #spec: MapAsyncSpec<T, R>;
  readonly #results: Results<Step>;
  /** Items beyond the limit. */
  readonly #waiting = new Fifo<Step>();
  #underWay = 0;
  /** True while the task is told that records must wait. */
  #pending = false;

  constructor(gate: Gate, out: AnyReceiver, spec: MapAsyncSpec<T, R>) {
    this.#gate = gate;
    this.#out = out;
    this.#spec = spec;
    // A driver that keeps places wants results that do not depend on who answers first.
    const ordered = spec.ordered || gate.task.places !== undefined;
    this.#results = ordered ? new OrderedResults() : new UnorderedResults();
    gate.task.onRewind(() => {
      this.#results.clear();
      this.#waiting.clear();
      this.#underWay = 0;
      this.#pending = false;
    });
  }

  record(value: T, timestamp: number, key: unknown): void {
    const { task, operator } = this.#gate;
    if (task.options.mode === 'sync') throw this.#gate.failed(task.asyncRefused(operator, 'is asynchronous'));
    const placed = this.#reserve();
    const call = () =>
      this.#call(value, {
        send: placed((result: R) => this.#out.record(result, timestamp, key)),
        fail: placed((error: unknown) => void this.#gate.failed(error)),
      });
    if (this.#full) this.#waiting.push(call);
    else call();
  }

  watermark(timestamp: number): void {
    this.#pass(() => this.#out.watermark(timestamp));
  }

  status(idle: boolean): void {
    this.#pass(() => this.#out.status(idle));
  }

  end(): void {
    this.#pass(() => this.#out.end());
  }

  get #full(): boolean {
    return this.#underWay >= this.#spec.concurrency;
  }

  #pass(send: Step): void {
    if (this.#underWay === 0) return send();
    const placed = this.#reserve()(send);
    if (this.#waiting.length === 0) this.#results.push(placed);
    else this.#waiting.push(() => this.#results.push(placed));
  }

  #call(value: T, { send, fail }: { send: (result: R) => void; fail: (error: unknown) => void }): void {
    const { task, operator } = this.#gate;
    this.#underWay++;
    task.beginBackground();
    if (this.#full && !this.#pending) {
      this.#pending = true;
      task.begin();
    }
    const place = this.#results.reserve();
    new AsyncCall(task, operator, this.#spec, value, {
      done: (result) => {
        place.fill(() => {
          send(result);
          this.#sent();
        });
        this.#sendReady();
      },
      failed: fail,
    }).start();
  }

  #sendReady(): void {
    const { task } = this.#gate;
    try {
      let send = this.#results.take();
      for (; send !== undefined; send = this.#results.take()) {
        send();
        if (task.stopped) return;
      }
    } catch (error) {
      task.fail(error);
      return;
    }
    if (!this.#pending || this.#full) return;
    this.#pending = false;
    task.finish();
  }

  /** A record's result was sent on: there is room for others. */
  #sent(): void {
    this.#underWay--;
    this.#gate.task.finishBackground();
    while (!this.#full && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  /** What is done later has the place of its item, whatever the driver did in between. */
  #reserve(): <A extends readonly unknown[]>(step: (...args: A) => void) => (...args: A) => void {
    const { places } = this.#gate.task;
    if (places === undefined) return (step) => step;
    const place = places.reserve();
    return (step) => inPlace(places, place, step);
  }
}
