import { RsError } from '@rs/core';
import { instantiate, type Plan } from '../../graph/plan.ts';
import { isBehindExchange, mergesTime } from '../../graph/topology.ts';
import type { AnyReceiver } from '../../operator/receiver.ts';
import { deliver } from '../../operator/stream-item.ts';
import { StepwiseTime } from '../../operator/stepwise-time.ts';
import { Task } from '../../operator/task.ts';
import { StateStore } from '../../state/store.ts';
import type { CommitBatch, StateBackend, TaskSnapshot } from './backend.ts';
import { Barrier } from './barrier.ts';
import { BatchDivision, type CommitPart, type Extent } from './batch-division.ts';
import type { BatchedOptions, TaskPlace } from './batched-options.ts';
import { BatchLog } from './batch-log.ts';
import { BatchTime } from './batch-time.ts';
import { type ClockTimersParts, fireByClock } from './clock-timers.ts';
import { collectCommit } from './collect-commit.ts';
import { ElementReads } from './element-reads.ts';
import { type FailedTimer, failedTimerOf, findTimer } from './failed-timer.ts';
import type { InputItem } from './input-item.ts';
import { LateLog } from './late-log.ts';
import { LEFT_OVER, OrderCounter, type Place } from './order.ts';
import { type Facts, PlanState } from './plan-state.ts';
import { Prefetch } from './prefetch.ts';
import { type Progress, withProgress } from './progress.ts';
import { inputReceivers } from './task-inputs.ts';
import { TimePasses } from './time-passes.ts';
import { DEFAULT_TIMER_PAGE, TimerPages } from './timer-pages.ts';

/**
 * The operators of a task, and what a batch goes through in them: it is fed, what it has changed is collected, and then it is
 * either over or undone.
 */
export class BatchedTask {
  readonly task: Task;
  readonly plan: Plan;
  readonly time: BatchTime;
  readonly #options: BatchedOptions;
  readonly #counter = new OrderCounter();
  readonly #barriers: Barrier[] = [];
  readonly #prefetch: Prefetch;
  readonly #elements: ElementReads;
  readonly #log: BatchLog;
  readonly #state: PlanState;
  readonly #stepwise: StepwiseTime<Place>;
  readonly #pages: TimerPages;
  readonly #passes: TimePasses;
  readonly #clockTimers: ClockTimersParts;
  readonly #division: BatchDivision;
  readonly #inputs: readonly AnyReceiver[];
  readonly #late: LateLog;
  #now: number;

  /** @param settled resolves when no commit is on its way */
  constructor(
    place: TaskPlace,
    backend: StateBackend,
    options: BatchedOptions,
    settled: () => Promise<void>,
  ) {
    this.#options = options;
    this.#now = options.clock.now();
    // Time stands still during a batch: what is read beforehand must be what is asked for later.
    this.task = new Task({
      ...options,
      clock: { now: () => this.#now },
      mode: 'async',
      residentState: false,
    });
    const { maxFires = Infinity, timerPage = DEFAULT_TIMER_PAGE, transfer, schemaMismatch } = options;
    this.#stepwise = new StepwiseTime(this.#counter);
    this.task.places = this.#counter;
    this.task.stepwise = this.#stepwise;
    this.#late = new LateLog(options.keepLate ?? (() => false));
    this.task.onLate = (record) => this.#late.note(record);
    this.#log = new BatchLog(this.#counter, this.#stepwise, (value, to, operator) =>
      transfer === undefined ? value : this.task.guard(() => transfer(value, to, operator)),
    );
    this.#elements = new ElementReads(backend, this.task);
    const { graph } = place.topology;
    const store = new StateStore({ resident: false, elements: this.#elements, schemaMismatch });
    this.plan = instantiate(
      { ...place, task: this.task, store },
      {
        sink: (node) => this.#log.sink(node, graph.operatorId(node)),
        ...(options.watchSideOutputs === true && {
          sideOutput: (node, tag) => this.#log.sideOutput(graph.operatorId(node), tag),
        }),
        destinations: (edge) => this.#log.destinations(place.stage, edge, graph.operatorId(edge.node)),
        barrier: (prefetcher) => {
          const barrier = new Barrier(this.#counter, prefetcher);
          // Plans are made from the sinks upwards, and batches flow downwards.
          this.#barriers.unshift(barrier);
          return (receiver) => barrier.before(receiver);
        },
      },
    );
    this.#state = new PlanState(this.plan);
    this.#pages = new TimerPages(backend, this.plan, timerPage, settled);
    this.#prefetch = new Prefetch(backend, store, this.#pages);
    const parts = {
      task: this.task,
      stepwise: this.#stepwise,
      counter: this.#counter,
      barriers: this.#barriers,
      pages: this.#pages,
      prefetch: this.#prefetch,
      operators: this.plan.operators,
      limit: maxFires,
    };
    this.#passes = new TimePasses(parts);
    this.#clockTimers = { ...parts, passes: this.#passes };
    this.#division = new BatchDivision(this.#barriers, this.#log, this.#passes);
    this.time = new BatchTime(this.plan);
    this.#inputs = inputReceivers(this.plan);
  }

  /** True when what failed is user code, not a read of the backend. */
  get failedByUser(): boolean {
    return this.task.failed && !this.#elements.failing;
  }

  /** Reads timers until this one is in memory, if it is there. */
  async loadTimersBefore({ operator, kind, time }: FailedTimer): Promise<void> {
    const queue = this.plan.operators.find(({ id }) => id === operator)?.instance.timers?.[kind];
    if (queue !== undefined) await this.#pages.load([{ queue, limit: time, count: Infinity }]);
  }

  hasTimer(timer: FailedTimer): boolean {
    return findTimer(this.plan, timer) !== undefined;
  }

  /** What the failure is on account of, and which of the things that the batch began with it comes of. */
  get failure(): { readonly timer: FailedTimer | undefined; readonly origin: number | undefined } {
    const { failed, failureCause } = this.task;
    return {
      timer: failedTimerOf(this.plan, failureCause),
      origin: failed ? this.#counter.origin : undefined,
    };
  }

  facts(): Facts {
    return withProgress(this.#state.facts(), this.#division.progress);
  }

  async resume(snapshot: TaskSnapshot): Promise<void> {
    this.#state.resume(snapshot);
    this.#division.resume(snapshot.operators);
    await this.#pages.open();
  }

  /** A batch begins: the clock stands still from now on. */
  follow(): void {
    this.#now = Math.max(this.#now, this.#options.clock.now());
  }

  /** The first time that each operator with event timers waits for. */
  get eventTimers(): readonly number[] {
    return this.plan.operators.flatMap(({ instance: { timers } }) =>
      timers === undefined || timers.event.next === Infinity ? [] : [timers.event.next],
    );
  }

  setWaiting(waiting: boolean): void {
    this.time.setWaiting(waiting, this.#now);
  }

  /**
   * What a new task says before all else: inputs that it does not have have ended, and sources that never had a record are
   * idle. Only a task that reads sources tells later stages of the latter: one behind an exchange may be sent something by
   * every partition there is, and what it collects of that comes long after the time of those who sent it.
   *
   * Returns `undefined` when there is nothing to say.
   */
  beginning(): (() => Promise<void>) | undefined {
    const { place, absent, operators, heads } = this.plan;
    if (!mergesTime(place.stage)) return undefined;
    return async () => {
      await this.#step(0, () => {
        for (const input of absent) input.end();
        for (const { instance } of operators) instance.begin?.();
        for (const head of heads.values()) head.status(true);
      });
      await this.#drain();
      if (isBehindExchange(place.stage)) this.#log.withholdIdle();
    };
  }

  /** @param commit commits a part of the batch, where it fires more timers than may fire in one commit */
  async feed(items: readonly InputItem[], commit: CommitPart): Promise<void> {
    this.setWaiting(false);
    const { task } = this;
    await this.#goOn(commit);
    try {
      for (let index = 0; index < items.length; index++) {
        this.#counter.begin(index);
        this.#deliver(items[index] as InputItem);
        if (task.attention) await task.settled(); // Awaited only when there is something: this is once per record.
        task.assertRunning();
      }
    } catch (error) {
      task.fail(error);
      throw error;
    }
    await this.#settled();
    this.#division.forgetDone();
    await this.#division.drain(commit, true);
  }

  /** @param commit as that of {@link feed} */
  async advanceClock(commit: CommitPart): Promise<void> {
    await this.#goOn(commit);
    if (this.#division.progress.repeats) return; // An item that was begun comes before what the clock brings.
    await this.#step(0, () => this.time.checkIdle(this.#now));
    await this.#settled();
    await this.#division.drain(commit, false);
    if (this.#options.processingTime !== 'clock') return;
    await fireByClock(this.#clockTimers, this.#now, () => this.setWaiting(false));
  }

  /** What an earlier commit has left undone comes first: operators that know how far time has come tell the others. */
  async #goOn(commit: CommitPart): Promise<void> {
    const { due, repeats } = this.#division.progress;
    this.#stepwise.repeating = due || repeats;
    this.#stepwise.keepsMoves = this.#passes.mayDivide;
    if (!due) return;
    await this.#step(LEFT_OVER, () => this.time.repeat());
    await this.#settled();
    await this.#division.drain(commit, false);
    this.#division.wentOn();
    this.#stepwise.repeating = repeats;
    this.#stepwise.keepsMoves = this.#passes.mayDivide; // What has fired may have registered others.
  }

  /** Gives up a timer; there must be one. */
  async discardTimer(failed: FailedTimer): Promise<void> {
    const found = findTimer(this.plan, failed);
    if (found === undefined) return;
    const { instance, timer } = found;
    this.#counter.leave();
    await this.#prefetch.cells(this.task, (want) => instance.wantTimer?.(timer, want));
    this.task.assertRunning();
    await this.#step(0, () => instance.discardTimer?.(failed.kind, timer));
    await this.#drain();
  }

  /** One thing after the other, each with its place in the order of the batch. */
  async #step(index: number, step: () => void): Promise<void> {
    this.#counter.begin(index);
    this.task.guard(step);
    if (this.task.attention) await this.task.settled();
    this.task.assertRunning();
  }

  async #settled(): Promise<void> {
    await this.task.drained();
    this.task.assertRunning();
  }

  /** Lets what waits at the barriers through. */
  async #drain(): Promise<void> {
    await this.#settled();
    await this.#passes.drainAll();
  }

  /**
   * Everything that the batch has changed. Values are encoded here; one that cannot be is the user's failure like any other.
   *
   * @param extent what the commit is about
   */
  collect(facts: Pick<CommitBatch, 'seq' | 'offset'>, extent: Extent): CommitBatch {
    this.#counter.leave();
    const { done } = extent;
    const operators = this.#state.facts(done === undefined ? undefined : this.#stepwise.factsAt(done));
    return this.task.guard(() =>
      collectCommit(this.plan, {
        ...facts,
        outputs: this.#log.outputs(done),
        sent: this.#log.sent(done),
        operators: withProgress(operators, this.#division.after(extent)),
        ...this.#late.facts,
      }),
    );
  }

  /**
   * The batch is handed over. What it has changed stays in memory until {@link applied}.
   *
   * @param extent as that of {@link collect}
   */
  collected(extent: Extent): void {
    const { done } = extent;
    this.#late.clear();
    this.#log.clear(done);
    this.#state.collected();
    this.#pages.trim();
    this.#stepwise.committed(done);
    if (done !== undefined) return;
    this.#division.committed(extent);
    this.#stepwise.repeating = false;
    this.#passes.more();
  }

  /** Timers that have fired since the last commit. */
  get fired(): number {
    return this.#stepwise.fired;
  }

  /** The timer that has fired since the last commit, where each has a commit of its own. */
  get firedAlone(): FailedTimer | undefined {
    return this.#passes.alone ? failedTimerOf(this.plan, this.#stepwise.first) : undefined;
  }

  /** Fewer timers may fire in one commit from now on. Returns false when that cannot be. */
  fireFewer(fired: number): boolean {
    return this.#passes.fewer(fired);
  }

  /** What earlier commits have left undone. */
  get progress(): Progress {
    return this.#division.progress;
  }

  /** What was handed over is applied: memory may be had from it again. Only between two batches. */
  applied(): void {
    this.#state.applied(this.#options.cachedBytes);
  }

  /** Back to the last commit: overlay, timers, operators' facts, outputs, and whatever is still in flight. */
  rewind(facts: Facts): void {
    this.task.rewind();
    this.#log.undo();
    this.#late.clear();
    for (const barrier of this.#barriers) barrier.clear();
    this.#state.rollback(facts);
    this.#division.resume(facts);
    this.setWaiting(false);
  }

  #deliver(item: InputItem): void {
    if (item.type === 'advance') return this.time.advance(item.timestamp, item.inputs, item.ended);
    const input = this.#inputs[item.input];
    if (input === undefined) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `the task has ${this.#inputs.length} inputs, but got an item for input ${item.input}`,
      );
    }
    deliver(input, item);
  }
}
