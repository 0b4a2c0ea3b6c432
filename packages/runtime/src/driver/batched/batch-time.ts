import type { GraphNode } from '../../graph/node.ts';
import type { Plan } from '../../graph/plan.ts';
import { TimestampsOperator } from '../../operator/timestamps.ts';
import { type TaskInput, taskInputs } from './task-inputs.ts';

interface Generator {
  readonly operator: TimestampsOperator<unknown>;
  /** Numbers of the task's inputs that it gets records from. */
  readonly inputs: readonly number[];
  /** True while its watermark follows the clock. */
  following: boolean;
}

/** A silence is noticed within a tenth of its timeout, and within a second where that is not too often. */
const CHECKS_PER_TIMEOUT = 10;
const MAX_INTERVAL = 1_000;
const MAX_CHECKS_PER_TIMEOUT = 1_000;

/** The operators of a task that make watermarks, for a driver that moves time in steps. */
export class BatchTime {
  readonly #generators: readonly Generator[];
  /** True when a generator makes watermarks of what comes from another one. */
  readonly #chained: boolean;
  #waiting = false;
  /** Since when the task has been waiting, and no generator has seen a record. */
  #waitingSince = -Infinity;
  #lastCheck = -Infinity;

  constructor(plan: Plan) {
    const { topology, stage, partition } = plan.place;
    const inputs = taskInputs(topology, stage, partition);
    this.#generators = plan.operators.flatMap(({ node, instance }) =>
      instance instanceof TimestampsOperator
        ? [
            {
              operator: instance as TimestampsOperator<unknown>,
              inputs: inputsBefore(node, inputs),
              following: false,
            },
          ]
        : [],
    );
    const nodes = new Set<GraphNode>(
      plan.operators.flatMap(({ node, instance }) => (instance instanceof TimestampsOperator ? [node] : [])),
    );
    this.#chained = [...nodes].some((node) => isBehind(node, nodes));
  }

  /** Between batches the task waits for its input; only that is quiet time. */
  setWaiting(waiting: boolean, now: number): void {
    if (waiting !== this.#waiting) {
      this.#waiting = waiting;
      this.#waitingSince = now;
      for (const generator of this.#generators) generator.following = false;
    }
    // Not moved on by batches: an input may be quiet while others of the task have records all the time.
    if (this.#lastCheck === -Infinity) this.#lastCheck = this.#waitingSince;
    for (const { operator } of this.#generators) operator.setWaiting(waiting, now);
  }

  /** Says again how far time has come. */
  repeat(): void {
    for (const { operator } of this.#generators) operator.repeat();
  }

  checkIdle(now: number): void {
    this.#lastCheck = now;
    const before = this.#generators.map(({ operator }) => factsOf(operator).watermark);
    for (const { operator } of this.#generators) operator.checkIdle(now);
    for (const [index, generator] of this.#generators.entries())
      generator.following = factsOf(generator.operator).watermark > (before[index] as number);
    // What fired because of it may have brought records to a generator behind.
    if (this.#chained && this.#generators.some(({ following }) => following)) this.#waitingSince = now;
  }

  /**
   * When to call {@link checkIdle} again so that event timers fire as if it was called all the time; `Infinity` when it could
   * make none fire.
   *
   * @param timers the times of all that wait
   */
  nextCheck(timers: () => readonly number[]): number {
    return Math.min(Infinity, ...this.#generators.map((generator) => this.#nextCheckOf(generator, timers)));
  }

  #nextCheckOf({ operator, following }: Generator, timers: () => readonly number[]): number {
    const timeout = operator.idleTimeout;
    if (timeout === undefined) return Infinity;
    const { watermark, generated, ended } = factsOf(operator);
    if (ended) return Infinity;
    const first = timers().reduce((min, time) => (time > watermark && time < min ? time : min), Infinity);
    if (first === Infinity) return Infinity;
    // Invariant: a watermark that follows the clock is no faster than the clock.
    if (following) return this.#lastCheck + (first - watermark);
    const interval = intervalOf(timeout);
    const quietAt = this.#waitingSince + timeout;
    if (this.#lastCheck < quietAt) return Math.min(this.#lastCheck + interval, quietAt);
    // One that was moved on by other means is still ahead of the clock, if it follows that.
    return watermark > generated ? this.#lastCheck + Math.max(interval, first - watermark) : Infinity;
  }

  /**
   * Event time has come this far at some inputs: moves on the generators that read these, and nothing else that may still
   * bring records.
   */
  advance(timestamp: number, inputs: readonly number[], ended: readonly number[]): void {
    const come = new Set(inputs);
    const over = new Set(ended);
    for (const generator of this.#generators) {
      const left = generator.inputs.filter((input) => !over.has(input));
      if (left.length > 0 && left.every((input) => come.has(input))) generator.operator.advance(timestamp);
    }
  }
}

function intervalOf(timeout: number): number {
  const interval = Math.min(MAX_INTERVAL, timeout / CHECKS_PER_TIMEOUT);
  return Math.max(1, Math.floor(Math.max(interval, timeout / MAX_CHECKS_PER_TIMEOUT)));
}

function factsOf(operator: TimestampsOperator<unknown>): {
  readonly watermark: number;
  readonly generated: number;
  readonly ended: boolean;
} {
  const { watermark, generated, ended } = operator.meta();
  return { watermark: Number(watermark), generated: Number(generated), ended: ended === true };
}

function isBehind(start: GraphNode, others: ReadonlySet<GraphNode>): boolean {
  const seen = new Set<GraphNode>();
  const open = start.inputs.map(({ node }) => node);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (others.has(node)) return true;
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...node.inputs.map((input) => input.node));
  }
  return false;
}

/** What a node's records come from, within its task. */
function inputsBefore(start: GraphNode, inputs: readonly TaskInput[]): readonly number[] {
  const found = new Set<number>();
  const seen = new Set<GraphNode>();
  const open: GraphNode[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [number, input] of inputs.entries()) {
      if (input.type === 'source' && input.source === node) found.add(number);
    }
    for (const { node: before, tag } of node.inputs) {
      const received = [...inputs.entries()].filter(
        ([, input]) => input.type === 'exchange' && input.edge.node === before && input.edge.tag === tag,
      );
      if (received.length === 0) open.push(before);
      for (const [number] of received) found.add(number);
    }
  }
  return [...found];
}
