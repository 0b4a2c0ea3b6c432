import { RsError } from '@rs/core';
import type { CommitBatch, OutputRecord, StateBackend } from '../driver/batched/backend.ts';
import { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { BatchedOptions } from '../driver/batched/batched-options.ts';
import type { TaskInput } from '../driver/batched/task-inputs.ts';
import { labelOf, type SourceNode } from '../graph/node.ts';
import { mergesTime, type Topology } from '../graph/topology.ts';
import type { StreamItem } from '../operator/stream-item.ts';
import { loggedItem, transferred } from './item-log.ts';
import { processAndDie } from './process-and-die.ts';
import {
  eventTimes,
  hasBatch,
  lateRecords,
  newTask,
  type PendingTimer,
  pendingTimers,
  push,
  type RunningTask,
  type SimulatedState,
  type SimulatedTask,
} from './simulated-task.ts';

export interface SimulationOptions extends Omit<BatchedOptions, 'transfer' | 'overlap'> {
  /** Items of a task that are processed and committed together. */
  readonly batchSize: number;
  /** Told of everything that is emitted, in order, when it is committed. */
  readonly onOutput?: (output: OutputRecord, task: SimulatedTask) => void;
}

/**
 * A whole job in the model of a durable engine: every task runs on the batched driver, over a log of its input and a backend
 * that changes only by commit. What a task sends to later stages is appended to their logs by its commit; values are stored
 * and read back on the way, and so are those of outputs. Nothing depends on real time, and equal calls give equal results.
 */
export class JobSimulation {
  readonly #topology: Topology;
  readonly #options: SimulationOptions;
  readonly #tasks: readonly RunningTask[];
  #crashed = false;
  /** Counts crashes: what was begun before one must not go on after it. */
  #life = 0;
  /** The task that processes something. */
  #busy: RunningTask | undefined;
  #closed = false;

  constructor(topology: Topology, options: SimulationOptions) {
    this.#topology = topology;
    this.#options = options;
    this.#tasks = topology.stages.flatMap((stage) =>
      Array.from({ length: stage.partitions }, (_, partition) => newTask(topology, stage, partition)),
    );
  }

  get topology(): Topology {
    return this.#topology;
  }

  /** Stages in their order, each partition by partition. */
  get tasks(): readonly SimulatedTask[] {
    return this.#tasks;
  }

  /** True between {@link crash} and {@link restart}. */
  get crashed(): boolean {
    return this.#crashed;
  }

  /**
   * Appends to a partition of a source. Nothing is processed yet.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` for a partition that does not exist, `RS_INVALID_VALUE` for a record whose value
   *   cannot be stored
   */
  append(source: SourceNode, partition: number, item: StreamItem): void {
    const { task, input } = this.#inputOf(source, partition);
    const logged = loggedItem({ ...item, input }, `a record of ${labelOf(source)}`);
    if (item.type === 'record') this.announce(source, partition);
    push(task, input, logged);
  }

  /**
   * A partition of a source has something to read, now or soon: until then it counts as idle. Its first record says so by
   * itself.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` for a partition that does not exist
   */
  announce(source: SourceNode, partition: number): void {
    const { task, input } = this.#inputOf(source, partition);
    if (task.announced.has(input)) return;
    task.announced.add(input);
    if (mergesTime(task.stage)) push(task, input, loggedItem({ type: 'status', idle: false, input }));
  }

  /**
   * Event time has come this far in a partition of a source, or everywhere: watermarks rise to it, also those that operators
   * make, as far as they are not there yet. Processes everything that came before, and what it leads to. A partition that
   * never had a record goes on to count as idle.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` for a partition that does not exist, `RS_UNSUPPORTED` after a crash; the error of
   *   a failing item
   */
  async advance(
    timestamp: number,
    place?: { readonly source: SourceNode; readonly partition: number },
  ): Promise<void> {
    if (this.#crashed) throw new RsError('RS_UNSUPPORTED', 'nobody is there whose time could be advanced');
    if (place !== undefined) {
      const { task, input } = this.#inputOf(place.source, place.partition);
      this.#advanceTask(task, timestamp, [input]);
      return this.flush();
    }
    for (const stage of this.#topology.stages) {
      await this.flush(); // What was sent before comes before it, on whatever way it goes.
      for (const task of this.#tasks)
        if (task.stage === stage) this.#advanceTask(task, timestamp, [...task.inputs.keys()]);
    }
    await this.flush();
  }

  /** Processes all full batches, until only less than one is left everywhere. @throws the error of a failing item */
  async run(): Promise<void> {
    await this.#processUntilQuiet(this.#options.batchSize);
  }

  /** Processes everything. @throws the error of a failing item */
  async flush(): Promise<void> {
    await this.#processUntilQuiet(1);
  }

  /** The clock has moved on: fires what is due, task after task, and processes what that leads to. */
  async tick(): Promise<void> {
    if (this.#crashed) return;
    const opened = await this.#openAll();
    const upToDate = new Set(
      opened.filter(({ task, driver }) => driver.position === task.log.length).map(({ task }) => task),
    );
    for (const { task, driver } of opened) {
      await this.#alone(task, () => driver.tick());
      // What earlier stages send comes before the timers of later ones, as in a chain.
      await this.#processUntilQuiet(this.#options.batchSize, upToDate);
    }
    await this.run();
  }

  /**
   * When {@link tick} has something to do: timers to fire, or inputs to look at that may be idle. `Infinity` when nothing waits
   * for the clock, or nobody is there.
   */
  async nextTimer(): Promise<number> {
    if (this.#crashed) return Infinity;
    const drivers = (await this.#openAll()).map(({ driver }) => driver);
    const timer = Math.min(...drivers.map(({ nextTimer }) => nextTimer));
    let times: readonly number[] | undefined;
    const eventTimers = () => (times ??= eventTimes(this.#tasks));
    return Math.min(timer, ...drivers.map((driver) => driver.nextIdleCheck(eventTimers)));
  }

  /**
   * All tasks die at the worst moment: with their next batch processed and not committed, or as far processed as it gets without
   * the clock and promises that nobody settles. What is under way fails with `RS_CLOSED`. Functions are not closed, as nobody is
   * there to do it; only the signals of calls under way are aborted. Until {@link restart} nothing is processed.
   */
  async crash(): Promise<void> {
    if (this.#crashed) return;
    this.#crashed = true;
    this.#life++;
    const busy = this.#busy;
    for (const task of this.#tasks) {
      task.driver?.abandon();
      task.driver = undefined;
    }
    for (const task of this.#tasks) if (task !== busy) await this.#die(task);
  }

  /** Goes on from what was committed; timers that became due meanwhile fire first. @throws the error of a failing item */
  async restart(): Promise<void> {
    this.#crashed = false;
    await this.tick();
  }

  /**
   * Every task gets another owner, which goes on from what was committed; the ones before are fenced. A task that cannot be opened
   * is opened by the next call that needs it.
   *
   * @throws the error of a function that cannot be opened, or of a failing item
   */
  async rebalance(): Promise<void> {
    const life = this.#life;
    for (const task of this.#tasks) {
      const before = task.driver;
      task.driver = undefined;
      try {
        task.driver = await this.#open(task, task.backend.acquire());
      } finally {
        if (life === this.#life) before?.close();
        else before?.abandon();
      }
    }
    await this.run();
  }

  /** The committed timers, in the order in which they will fire: by time, then by key. */
  timers(): PendingTimer[] {
    return pendingTimers(this.#tasks);
  }

  /** Records that were late, by operator. */
  lateRecords(): Record<string, number> {
    return lateRecords(this.#tasks);
  }

  /** The states that functions have declared. */
  async states(): Promise<readonly SimulatedState[]> {
    if (!this.#crashed) await this.#openAll();
    return this.#tasks.flatMap((task) => task.states.map((state) => ({ ...state, task })));
  }

  /** Stops everything; what is under way fails with `RS_CLOSED`. Closing again does nothing. */
  close(): void {
    this.#closed = true;
    for (const { driver } of this.#tasks) driver?.close();
  }

  #inputOf(source: SourceNode, partition: number): { readonly task: RunningTask; readonly input: number } {
    const task = this.#tasks.find((one) => one.partition === partition && one.stage.sources.includes(source));
    const input = task?.inputs.findIndex((one) => one.type === 'source' && one.source === source) ?? -1;
    if (task !== undefined && input >= 0) return { task, input };
    throw new RsError('RS_INVALID_ARGUMENT', `source '${source.name}' has no partition ${partition}`, {
      details: { source: source.name, partition },
    });
  }

  #advanceTask(task: RunningTask, timestamp: number, numbers: readonly number[]): void {
    // Inputs that have ended are past all times.
    const inputs = numbers.filter((input) => !task.ended.has(input));
    if (inputs.length === 0) return;
    for (const input of inputs) {
      const before = task.advanced.get(input) ?? -Infinity;
      task.advanced.set(input, Math.max(before, timestamp));
      if (timestamp > before && this.#passesTime(task.inputs[input]))
        push(task, input, loggedItem({ type: 'watermark', timestamp, input }));
    }
    task.log.push(loggedItem({ type: 'advance', timestamp, inputs, ended: [...task.ended] }));
    // A raised watermark ends idleness, but a source that never had a record still has none.
    for (const input of inputs) {
      if (task.inputs[input]?.type === 'source' && !task.announced.has(input) && mergesTime(task.stage))
        push(task, input, loggedItem({ type: 'status', idle: true, input }));
    }
  }

  /** True for a source whose watermarks are looked at: operators that make watermarks ignore those from before them. */
  #passesTime(input: TaskInput | undefined): boolean {
    if (input?.type !== 'source') return false; // What comes from earlier stages brings its time with it.
    const readers = this.#topology.graph.readersOf(input.source, undefined);
    return readers.some(({ reader }) => reader.kind !== 'timestamps');
  }

  /** @param only tasks that may process anything; default: all */
  async #processUntilQuiet(atLeast: number, only?: ReadonlySet<RunningTask>): Promise<void> {
    while (!this.#crashed && (await this.#processOnce(atLeast, only)));
  }

  /** One batch of the first task that has one; earlier stages come first. */
  async #processOnce(atLeast: number, only?: ReadonlySet<RunningTask>): Promise<boolean> {
    const tasks = (await this.#openAll()).filter(({ task }) => only === undefined || only.has(task));
    // Invariant: everybody knows who has something to read before any of it is read.
    const announcing = tasks.find(({ task, driver }) => task.log.typeAt(driver.position) === 'status');
    const next = announcing ?? tasks.find(({ task, driver }) => hasBatch(task, driver.position, atLeast));
    if (next === undefined) return false;
    const { task, driver } = next;
    const { position } = driver;
    const size = announcing === undefined ? this.#options.batchSize : 1;
    await this.#alone(task, () => driver.process(task.log.read(position, position + size)));
    return true;
  }

  async #alone(task: RunningTask, work: () => Promise<void>): Promise<void> {
    this.#busy = task;
    try {
      await work();
    } finally {
      this.#busy = undefined;
    }
  }

  async #openAll(): Promise<readonly { readonly task: RunningTask; readonly driver: BatchedDriver }[]> {
    const opened = [];
    for (const task of this.#tasks) opened.push({ task, driver: await this.#driverOf(task) });
    return opened;
  }

  async #driverOf(task: RunningTask): Promise<BatchedDriver> {
    if (this.#crashed) throw crashed();
    task.driver ??= await this.#open(task, task.backend.acquire());
    return task.driver;
  }

  /** Invariant: what a task sends reaches the logs of others exactly when it is committed. */
  async #open(task: RunningTask, backend: StateBackend): Promise<BatchedDriver> {
    const life = this.#life;
    const driver = await BatchedDriver.open(
      { topology: this.#topology, stage: task.stage, partition: task.partition },
      {
        ...backend,
        commit: async (batch) => {
          const reply = await backend.commit(batch);
          const [applied] = reply === 'OK' ? task.backend.commits().slice(-1) : [];
          if (applied !== undefined) this.#publish(task, applied);
          return reply;
        },
      },
      { ...this.#options, transfer: transferred },
    );
    task.states = driver.states;
    if (life !== this.#life) {
      driver.abandon();
      throw crashed();
    }
    if (!this.#closed) return driver;
    driver.close();
    throw new RsError('RS_CLOSED', 'the simulation was closed');
  }

  #publish(task: RunningTask, { sent, outputs }: CommitBatch): void {
    for (const { edge: number, to, item } of sent) {
      const edge = task.stage.sent[number];
      const receiver = this.#tasks.find(({ stage, partition }) => stage === edge?.to && partition === to);
      const input = receiver?.inputs.findIndex(
        (one) => one.type === 'exchange' && one.edge === edge && one.sender === task.partition,
      );
      if (receiver !== undefined && input !== undefined)
        push(receiver, input, loggedItem({ ...item, input }));
    }
    for (const output of outputs) this.#options.onOutput?.(output, task);
  }

  /** One more process takes the task over, and comes as far as the commit of its next batch. */
  #die(task: RunningTask): Promise<void> {
    return processAndDie(
      (commit) => this.#open(task, { ...task.backend.acquire(), commit }),
      (position) => task.log.read(position, position + this.#options.batchSize),
      { scheduler: this.#options.scheduler, cancelled: () => this.#closed },
    );
  }
}

function crashed(): RsError {
  return new RsError('RS_CLOSED', 'the process has crashed; what it had not committed has no effect');
}
