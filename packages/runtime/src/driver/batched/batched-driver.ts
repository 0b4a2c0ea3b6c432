import { RsError } from '@rs/core';
import { instantiate, type Plan } from '../../graph/plan.ts';
import { isBehindExchange, mergesTime } from '../../graph/topology.ts';
import type { KeptState } from '../../operator/keyed-group.ts';
import type { AnyReceiver } from '../../operator/receiver.ts';
import { deliver } from '../../operator/stream-item.ts';
import { Task } from '../../operator/task.ts';
import { StateStore } from '../../state/store.ts';
import { closeOperators } from '../lifecycle.ts';
import type { CommitBatch, CommitReply, StateBackend } from './backend.ts';
import { Barrier } from './barrier.ts';
import type { BatchedOptions, TaskPlace } from './batched-options.ts';
import { BatchLog } from './batch-log.ts';
import { collectCommit } from './collect-commit.ts';
import type { InputItem } from './input-item.ts';
import { ElementReads } from './element-reads.ts';
import { OrderCounter } from './order.ts';
import { type Facts, PlanState } from './plan-state.ts';
import { Prefetch } from './prefetch.ts';
import { inputReceivers } from './task-inputs.ts';
import { BatchTime } from './batch-time.ts';

/**
 * Runs a task over state that is read and written asynchronously: items in batches, one commit per batch.
 *
 * A batch goes through the operators in steps. Operators that keep state stand behind barriers; when a batch has arrived
 * at one, the state its items need is read in one go, and then they are processed one after the other. Results do not depend on
 * where batches are cut.
 *
 * Invariant: the backend changes only by commit, and a commit holds whole input items; after a crash at any point a new
 * driver goes on from {@link position}, and the result is as if nothing had happened.
 */
export class BatchedDriver {
  readonly #backend: StateBackend;
  readonly #options: BatchedOptions;
  readonly #task: Task;
  readonly #counter = new OrderCounter();
  readonly #barriers: Barrier[] = [];
  readonly #prefetch: Prefetch;
  readonly #elements: ElementReads;
  readonly #log: BatchLog;
  readonly #plan: Plan;
  readonly #state: PlanState;
  readonly #time: BatchTime;
  readonly #inputs: readonly AnyReceiver[];
  #seq = 0;
  #offset = 0;
  #late: Record<string, number> = {};
  /** The operators' facts at the last commit. */
  #committed: Facts = {};
  #usable = true;
  #processing = false;
  #now: number;

  private constructor(place: TaskPlace, backend: StateBackend, options: BatchedOptions) {
    this.#backend = backend;
    this.#options = options;
    this.#now = options.clock.now();
    // Time stands still during a batch: what is read beforehand must be what is asked for later.
    this.#task = new Task({
      ...options,
      clock: { now: () => this.#now },
      mode: 'async',
      residentState: false,
    });
    this.#task.places = this.#counter;
    this.#task.onLate = ({ operator }) => {
      this.#late[operator] = (this.#late[operator] ?? 0) + 1;
    };
    const { transfer } = options;
    this.#log = new BatchLog(this.#counter, (value, to) =>
      transfer === undefined ? value : this.#task.guard(() => transfer(value, to)),
    );
    this.#prefetch = new Prefetch(backend);
    this.#elements = new ElementReads(backend, this.#task);
    const { graph } = place.topology;
    this.#plan = instantiate(
      { ...place, task: this.#task, store: new StateStore({ resident: false, elements: this.#elements }) },
      {
        sink: (node) => this.#log.sink(node, graph.operatorId(node)),
        ...(options.watchSideOutputs === true && {
          sideOutput: (node, tag) => this.#log.sideOutput(graph.operatorId(node), tag),
        }),
        destinations: (edge) => this.#log.destinations(place.stage, edge),
        barrier: (prefetcher) => {
          const barrier = new Barrier(this.#counter, prefetcher);
          // Plans are made from the sinks upwards, and batches flow downwards.
          this.#barriers.unshift(barrier);
          return (receiver) => barrier.before(receiver);
        },
      },
    );
    this.#state = new PlanState(this.#plan);
    this.#time = new BatchTime(this.#plan);
    this.#inputs = inputReceivers(this.#plan);
  }

  /** Opens a task where its last commit left it. @throws RsError as {@link process}, and what the backend throws */
  static async open(
    place: TaskPlace,
    backend: StateBackend,
    options: BatchedOptions,
  ): Promise<BatchedDriver> {
    const driver = new BatchedDriver(place, backend, options);
    try {
      const snapshot = await backend.open();
      if (snapshot !== undefined) {
        driver.#seq = snapshot.seq;
        driver.#offset = snapshot.offset;
        driver.#state.resume(snapshot);
      }
      driver.#committed = driver.#state.facts();
      driver.#time.setWaiting(true, driver.#now);
      await driver.#begin();
      return driver;
    } catch (error) {
      driver.close();
      throw error;
    }
  }

  /** Number of input items that are settled: the next one to give to {@link process}. */
  get position(): number {
    return this.#offset;
  }

  /** When the next processing-time timer is due; `Infinity` when none waits for the clock. */
  get nextTimer(): number {
    if (this.#options.processingTime !== 'clock') return Infinity;
    return Math.min(
      Infinity,
      ...this.#plan.operators.map(({ instance }) => instance.nextProcessingTime?.() ?? Infinity),
    );
  }

  /** When {@link tick} must look for idle inputs. @param eventTimers the times of all that wait, here and in later tasks */
  nextIdleCheck(eventTimers: () => readonly number[]): number {
    return this.#time.nextCheck(eventTimers);
  }

  /** The states that user functions have declared on the streams of this task, or in their `open`. */
  get states(): readonly KeptState[] {
    return this.#plan.groups.flatMap((group) => group.declared());
  }

  /**
   * Processes the next items of the input as one batch and commits it. When one of them fails, the batch is undone
   * and its items are processed one per commit, so that all before the failing one are settled.
   *
   * @throws RsError the failing item's error, once its attempts are used up; {@link position} is then at that item.
   *   `RS_COMMIT_REJECTED` when the task has another owner, or whatever the backend threw when it gave no answer to a
   *   commit; the driver is then of no more use, and a new one goes on from what was committed. `RS_CLOSED` when it is
   *   closed meanwhile, `RS_UNSUPPORTED` while an earlier call is under way.
   */
  async process(items: readonly InputItem[]): Promise<void> {
    await this.#alone(async () => {
      if (items.length > 1 && (await this.#attempt(() => this.#feed(items), items.length)) === undefined)
        return;
      for (const item of items) await this.#settle(() => this.#feed([item]), 1);
    });
  }

  /**
   * The clock has moved on without items: fires the processing-time timers that are due, notices idle inputs, and commits.
   *
   * @throws RsError as {@link process}
   */
  async tick(): Promise<void> {
    await this.#alone(() => this.#settle(() => this.#advanceClock(), 0));
  }

  /** Ends the driver; what was not committed has never happened. Closing again does nothing. */
  close(): void {
    if (!this.#usable) return;
    this.abandon();
    closeOperators([this.#plan], this.#options.logger);
  }

  /**
   * The process of the task is gone: what is under way fails with `RS_CLOSED`, and nothing is closed, since nobody is there to
   * do it. For those who simulate a crash.
   */
  abandon(): void {
    this.#usable = false;
    this.#task.stop();
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    if (!this.#usable) throw new RsError('RS_CLOSED', 'this driver has lost its task; open a new one');
    if (this.#processing) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'the driver processes one batch at a time; await the call before the next',
      );
    }
    this.#processing = true;
    try {
      await work();
    } finally {
      this.#processing = false;
    }
  }

  async #settle(step: () => Promise<void>, items: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#attempt(step, items);
      if (failure === undefined) return;
      if (attempt >= this.#options.attempts) throw failure.error;
    }
  }

  /** One try at a batch; a failure of user code is returned, and everything is as before. */
  async #attempt(step: () => Promise<void>, items: number): Promise<{ readonly error: unknown } | undefined> {
    let batch;
    try {
      this.#task.assertRunning();
      this.#now = Math.max(this.#now, this.#options.clock.now());
      await step();
      // Values are encoded here; one that cannot be is the user's failure like any other.
      batch = this.#task.guard(() => this.#collect(items));
    } catch (error) {
      if (!this.#usable) throw error; // Closed meanwhile: a rewind would bring the task back to life.
      const byUserCode = this.#task.failed && !this.#elements.failing;
      this.#rewind();
      if (byUserCode) return { error };
      throw error; // The backend's: trying the items one by one would not help.
    }
    await this.#commit(batch);
    this.#time.setWaiting(true, this.#now);
    return undefined;
  }

  /**
   * What a new task says before all else: inputs that it does not have have ended, and sources that never had a record are
   * idle. Only a task that reads sources tells later stages of the latter: one behind an exchange may be sent something by
   * every partition there is, and what it collects of that comes long after the time of those who sent it.
   */
  async #begin(): Promise<void> {
    const { place, absent, operators, heads } = this.#plan;
    if (this.#seq > 0 || !mergesTime(place.stage)) return;
    const begin = () => {
      for (const input of absent) input.end();
      for (const { instance } of operators) instance.begin?.();
      for (const head of heads.values()) head.status(true);
    };
    await this.#settle(async () => {
      await this.#step(0, begin);
      await this.#drain();
      if (isBehindExchange(place.stage)) this.#log.withholdIdle();
    }, 0);
  }

  async #feed(items: readonly InputItem[]): Promise<void> {
    this.#time.setWaiting(false, this.#now);
    for (const [index, item] of items.entries()) await this.#step(index, () => this.#deliver(item));
    await this.#drain();
  }

  async #advanceClock(): Promise<void> {
    await this.#step(0, () => this.#time.checkIdle(this.#now));
    await this.#drain();
    if (this.#options.processingTime !== 'clock') return;
    for (const { prefetcher } of this.#barriers) {
      if (prefetcher !== undefined) await this.#prefetch.forTimers(this.#task, prefetcher, this.#now);
    }
    this.#task.assertRunning();
    for (const [index, { instance }] of this.#plan.operators.entries()) {
      if ((instance.nextProcessingTime?.() ?? Infinity) > this.#now) continue;
      this.#time.setWaiting(false, this.#now);
      await this.#step(index + 1, () => instance.advanceProcessingTime?.(this.#now));
      // What it sent on comes before the timers of the operators behind it, as in a chain.
      await this.#drain();
    }
  }

  /** One thing after the other, each with its place in the order of the batch. */
  async #step(index: number, step: () => void): Promise<void> {
    this.#counter.enter([index]);
    this.#task.guard(step);
    if (this.#task.attention) await this.#task.settled();
    this.#task.assertRunning();
  }

  async #drain(): Promise<void> {
    await this.#task.drained();
    this.#task.assertRunning();
    for (const barrier of this.#barriers) await barrier.drain(this.#task, this.#prefetch);
  }

  #deliver(item: InputItem): void {
    if (item.type === 'advance') return this.#time.advance(item.timestamp, item.inputs, item.ended);
    const input = this.#inputs[item.input];
    if (input === undefined) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `the task has ${this.#inputs.length} inputs, but got an item for input ${item.input}`,
      );
    }
    deliver(input, item);
  }

  #collect(items: number): CommitBatch {
    return collectCommit(this.#plan, {
      seq: this.#seq + 1,
      offset: this.#offset + items,
      outputs: this.#log.outputs(),
      sent: this.#log.sent(),
      operators: this.#state.facts(),
      late: this.#late,
    });
  }

  async #commit(batch: CommitBatch): Promise<void> {
    const reply = await this.#send(batch);
    if (reply === 'FENCED' || reply === 'SEQ') {
      this.close();
      throw new RsError(
        'RS_COMMIT_REJECTED',
        `the commit was rejected (${reply}): the task has another owner or was moved; open it anew`,
        { details: { reply, seq: batch.seq } },
      );
    }
    this.#seq = batch.seq;
    this.#offset = batch.offset;
    this.#committed = batch.operators;
    this.#late = {};
    this.#log.clear();
    this.#state.committed(this.#options.cachedCells);
  }

  /** When the backend gives no answer, nobody knows what it holds: this driver must not guess. */
  async #send(batch: CommitBatch): Promise<CommitReply> {
    try {
      return await this.#backend.commit(batch);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Back to the last commit: overlay, timers, operators' facts, outputs, and whatever is still in flight. */
  #rewind(): void {
    this.#task.rewind();
    this.#log.clear();
    this.#late = {};
    for (const barrier of this.#barriers) barrier.clear();
    this.#state.rollback(this.#committed);
    this.#time.setWaiting(false, this.#now);
  }
}
