import type { Clock } from '@rs/core';
import type { GraphNode } from '../graph/node.ts';
import type { Plan } from '../graph/plan.ts';
import { TimestampsOperator } from '../operator/timestamps.ts';

/** Asks several times per timeout, so that a silence is noticed soon after it is one. */
const CHECKS_PER_TIMEOUT = 10;
const MAX_INTERVAL = 1000;

interface Watched {
  readonly operator: TimestampsOperator<unknown>;
  readonly sources: ReadonlySet<GraphNode>;
}

/**
 * Tells the operators that make watermarks when their sources are quiet. Quiet is only the time in which they wait for a
 * source and the pipeline waits for nothing.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #watched: readonly Watched[];
  readonly #waiting = new Set<GraphNode>();
  readonly #interval: number;
  #busy = false;
  #lastCheck = -Infinity;

  constructor(plan: Plan, clock: Clock) {
    this.#clock = clock;
    this.#watched = plan.operators.flatMap(({ node, instance }) =>
      instance instanceof TimestampsOperator && instance.idleTimeout !== undefined
        ? [{ operator: instance as TimestampsOperator<unknown>, sources: sourcesOf(node) }]
        : [],
    );
    const timeouts = this.#watched.map(({ operator }) => operator.idleTimeout ?? Infinity);
    this.#interval = Math.max(1, Math.min(MAX_INTERVAL, Math.min(...timeouts) / CHECKS_PER_TIMEOUT));
  }

  /** A source is waiting while it has nothing to read, which includes one that has ended. */
  setWaiting(source: GraphNode, waiting: boolean): void {
    if (waiting) this.#waiting.add(source);
    else this.#waiting.delete(source);
    this.#tell(this.#watched.filter(({ sources }) => sources.has(source)));
  }

  /** The pipeline is busy while a promise of an operator is pending. */
  setBusy(busy: boolean): void {
    this.#busy = busy;
    this.#tell(this.#watched);
  }

  check(now: number): void {
    if (now < this.nextCheck(now)) return;
    this.#lastCheck = now;
    for (const { operator } of this.#watched) operator.checkIdle(now);
  }

  /** When to call {@link check} again although no record comes; `Infinity` when nothing is watched. */
  nextCheck(now: number): number {
    if (this.#watched.length === 0) return Infinity;
    // A clock that was set back must not put the next check off by as much.
    return now < this.#lastCheck ? now : this.#lastCheck + this.#interval;
  }

  #tell(watched: readonly Watched[]): void {
    if (watched.length === 0) return;
    const now = this.#clock.now();
    for (const { operator, sources } of watched) {
      operator.setWaiting(!this.#busy && [...sources].every((source) => this.#waiting.has(source)), now);
    }
  }
}

function sourcesOf(start: GraphNode): ReadonlySet<GraphNode> {
  const found = new Set<GraphNode>();
  const open: GraphNode[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'source') found.add(node);
    open.push(...node.inputs.map((input) => input.node));
  }
  return found;
}
