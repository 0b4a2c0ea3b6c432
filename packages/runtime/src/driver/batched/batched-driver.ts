import { RsError } from '@rs/core';
import type { LogicalGraph } from '../../graph/graph.ts';
import { instantiate, type Plan } from '../../graph/plan.ts';
import type { OperatorMeta } from '../../operator/operator.ts';
import { closeOperators } from '../lifecycle.ts';
import { type AnyReceiver, NOWHERE } from '../../operator/receiver.ts';
import { Task, type TaskOptions } from '../../operator/task.ts';
import { decodeKey } from '../../state/key-encoding.ts';
import type { CommitBatch, CommitReply, StateBackend, TaskSnapshot } from './backend.ts';
import { Barrier } from './barrier.ts';
import { collectCommit } from './collect-commit.ts';
import { OutputLog } from './output-log.ts';
import { OrderCounter } from './order.ts';
import { Prefetch } from './prefetch.ts';

/** One item of the task's input: a record of a source, or the source's end. */
export type InputItem =
  | { readonly source: number; readonly value: unknown; readonly timestamp: number }
  | { readonly source: number; readonly end: true };

/** Processing time follows the records: each batch is a step that can be repeated. */
export interface BatchedOptions extends Omit<TaskOptions, 'mode' | 'residentState' | 'processingTime'> {
  /** Cells that stay in memory between batches. */
  readonly cachedCells: number;
  /** How often a failing record is tried before its error is thrown, at least 1. */
  readonly attempts: number;
}

/**
 * Runs a job over state that is read and written asynchronously: items in batches, one commit per batch.
 *
 * A batch goes through the graph in stages. Operators that keep state stand behind barriers; when a batch has arrived
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
  readonly #outputs = new OutputLog();
  readonly #plan: Plan;
  readonly #heads: readonly AnyReceiver[];
  #seq = 0;
  #offset = 0;
  #late: Record<string, number> = {};
  /** The operators' facts at the last commit. */
  #committed: Readonly<Record<string, OperatorMeta>> = {};
  #usable = true;
  #processing = false;
  #now: number;

  private constructor(graph: LogicalGraph, backend: StateBackend, options: BatchedOptions) {
    this.#backend = backend;
    this.#options = options;
    this.#now = options.clock.now();
    // Time stands still during a batch: what is read beforehand must be what is asked for later.
    this.#task = new Task({
      ...options,
      clock: { now: () => this.#now },
      mode: 'async',
      processingTime: 'records',
      residentState: false,
    });
    this.#task.onLate = ({ operator }) => {
      this.#late[operator] = (this.#late[operator] ?? 0) + 1;
    };
    this.#prefetch = new Prefetch(backend);
    this.#plan = instantiate(graph, this.#task, {
      sink: (node) => this.#outputs.receiver(graph.operatorId(node)),
      beforeKeyed: (_node, prefetcher, receiver) => this.#barrier(prefetcher).before(receiver),
      beforeUnion: (_node, inputs) => {
        const barrier = this.#barrier(undefined);
        return inputs.map((input) => barrier.before(input));
      },
    });
    this.#heads = graph.sources.map((source) => this.#plan.heads.get(source) ?? NOWHERE);
  }

  /** Opens a task where its last commit left it. */
  static async open(
    graph: LogicalGraph,
    backend: StateBackend,
    options: BatchedOptions,
  ): Promise<BatchedDriver> {
    const driver = new BatchedDriver(graph, backend, options);
    try {
      const snapshot = await backend.open();
      if (snapshot !== undefined) driver.#resume(snapshot);
      driver.#committed = driver.#metas();
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
    if (!this.#usable) throw new RsError('RS_CLOSED', 'this driver has lost its task; open a new one');
    if (this.#processing) {
      throw new RsError(
        'RS_UNSUPPORTED',
        'the driver processes one batch at a time; await the call before the next',
      );
    }
    this.#processing = true;
    try {
      if (items.length > 1 && (await this.#attempt(items)) === undefined) return;
      for (const item of items) await this.#settle(item);
    } finally {
      this.#processing = false;
    }
  }

  /** Ends the driver; what was not committed has never happened. Closing again does nothing. */
  close(): void {
    if (!this.#usable) return;
    this.#usable = false;
    this.#task.stop();
    closeOperators(this.#plan, this.#options.logger);
  }

  async #settle(item: InputItem): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#attempt([item]);
      if (failure === undefined) return;
      if (attempt >= this.#options.attempts) throw failure.error;
    }
  }

  /** One try at a batch; a failure of user code is returned, and everything is as before. */
  async #attempt(items: readonly InputItem[]): Promise<{ readonly error: unknown } | undefined> {
    let batch;
    try {
      await this.#run(items);
      // Values are encoded here; one that cannot be is the user's failure like any other.
      batch = this.#task.guard(() => this.#collect(items.length));
    } catch (error) {
      if (!this.#usable) throw error; // Closed meanwhile: a rewind would bring the task back to life.
      const byUserCode = this.#task.failed;
      this.#rewind();
      if (byUserCode) return { error };
      throw error; // The backend's: trying the items one by one would not help.
    }
    await this.#commit(batch);
    return undefined;
  }

  async #run(items: readonly InputItem[]): Promise<void> {
    this.#task.assertRunning();
    this.#now = Math.max(this.#now, this.#options.clock.now());
    let index = 0;
    for (const item of items) {
      this.#counter.enter([index++]);
      this.#task.guard(() => this.#feed(item));
      if (this.#task.attention) await this.#task.settled();
      this.#task.assertRunning();
    }
    for (const barrier of this.#barriers) await barrier.drain(this.#task, this.#prefetch);
  }

  #feed(item: InputItem): void {
    const head = this.#heads[item.source] ?? NOWHERE;
    if ('end' in item) head.end();
    else head.record(item.value, item.timestamp, undefined);
  }

  #collect(items: number): CommitBatch {
    return collectCommit(this.#task, this.#plan, {
      seq: this.#seq + 1,
      offset: this.#offset + items,
      outputs: this.#outputs.peek(),
      operators: this.#metas(),
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
    this.#outputs.clear();
    this.#task.store.committed();
    for (const { instance } of this.#plan.operators) {
      instance.timers?.event.committed();
      instance.timers?.processing.committed();
    }
    this.#task.store.evict(this.#options.cachedCells);
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
    this.#outputs.clear();
    this.#late = {};
    for (const barrier of this.#barriers) barrier.clear();
    this.#task.store.rollback();
    for (const { id, instance } of this.#plan.operators) {
      instance.timers?.event.rollback();
      instance.timers?.processing.rollback();
      const meta = this.#committed[id];
      if (meta !== undefined) instance.restore?.(meta);
    }
  }

  #resume({ seq, offset, operators, timers }: TaskSnapshot): void {
    this.#seq = seq;
    this.#offset = offset;
    for (const { id, instance } of this.#plan.operators) {
      const meta = operators[id];
      if (meta !== undefined) instance.restore?.(meta);
      for (const kind of ['event', 'processing'] as const) {
        for (const { time, key, namespace } of timers[id]?.[kind] ?? []) {
          instance.timers?.[kind].load(
            time,
            decodeKey(key),
            instance.parseNamespace?.(namespace) ?? namespace,
          );
        }
      }
    }
  }

  #metas(): Record<string, OperatorMeta> {
    const metas: Record<string, OperatorMeta> = {};
    for (const { id, instance } of this.#plan.operators) {
      const meta = instance.meta?.();
      if (meta !== undefined) metas[id] = meta;
    }
    return metas;
  }

  /** Plans are made from the sinks upwards, and batches flow downwards. */
  #barrier(prefetcher: ConstructorParameters<typeof Barrier>[1]): Barrier {
    const barrier = new Barrier(this.#counter, prefetcher);
    this.#barriers.unshift(barrier);
    return barrier;
  }
}
