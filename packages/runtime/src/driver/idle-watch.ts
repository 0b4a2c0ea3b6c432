import type { Clock } from '@rs/core';
import type { GraphNode, OperatorNode, SourceNode } from '../graph/node.ts';
import type { Plan } from '../graph/plan.ts';
import { TimestampsOperator } from '../operator/timestamps.ts';
import type { PartitionReader } from './source-reader.ts';

/** Asks several times per timeout, so that a silence is noticed soon after it is one. */
const CHECKS_PER_TIMEOUT = 10;
const MAX_INTERVAL = 1000;

interface Watched {
  readonly operator: TimestampsOperator<unknown>;
  readonly readers: ReadonlySet<PartitionReader>;
}

/**
 * Tells the operators that make watermarks when their sources are quiet. Quiet is only the time in which they wait for a
 * source and the pipeline waits for nothing.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #watched: readonly Watched[];
  readonly #waiting = new Set<PartitionReader>();
  readonly #interval: number;
  #busy = false;
  #lastCheck = -Infinity;

  constructor(plans: readonly Plan[], readers: readonly PartitionReader[], clock: Clock) {
    this.#clock = clock;
    this.#watched = plans.flatMap((plan) =>
      plan.operators.flatMap(({ node, instance }) =>
        instance instanceof TimestampsOperator && instance.idleTimeout !== undefined
          ? [
              {
                operator: instance as TimestampsOperator<unknown>,
                readers: readersBefore(node, plan, readers),
              },
            ]
          : [],
      ),
    );
    const timeouts = this.#watched.map(({ operator }) => operator.idleTimeout ?? Infinity);
    this.#interval = Math.max(1, Math.min(MAX_INTERVAL, Math.min(...timeouts) / CHECKS_PER_TIMEOUT));
  }

  /** A source is waiting while it has nothing to read, which includes one that has ended. */
  setWaiting(reader: PartitionReader, waiting: boolean): void {
    if (waiting) this.#waiting.add(reader);
    else this.#waiting.delete(reader);
    this.#tell(this.#watched.filter(({ readers }) => readers.has(reader)));
  }

  /** The pipeline is busy while a promise of an operator is pending. */
  setBusy(busy: boolean): void {
    if (busy === this.#busy) return;
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
    for (const { operator, readers } of watched) {
      operator.setWaiting(!this.#busy && [...readers].every((reader) => this.#waiting.has(reader)), now);
    }
  }
}

/** What an operator's records come from: its own partition of the sources, and all of them behind an exchange. */
function readersBefore(
  node: OperatorNode,
  { place: { stage, partition } }: Plan,
  readers: readonly PartitionReader[],
): ReadonlySet<PartitionReader> {
  const exchanged = new Set<GraphNode>(
    stage.received.filter(({ routing }) => routing !== 'forward').map((edge) => edge.node),
  );
  const own = sourcesBefore(node, exchanged);
  const others = new Set([...exchanged].flatMap((sender) => [...sourcesBefore(sender, new Set())]));
  const behind = sourcesBefore(node, new Set());
  return new Set(
    readers.filter(
      (one) =>
        (one.partition === partition && own.has(one.source)) ||
        (others.has(one.source) && behind.has(one.source)),
    ),
  );
}

function sourcesBefore(start: GraphNode, boundary: ReadonlySet<GraphNode>): ReadonlySet<SourceNode> {
  const found = new Set<SourceNode>();
  const open: GraphNode[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.kind === 'source') found.add(node);
    if (node === start || !boundary.has(node)) open.push(...node.inputs.map((input) => input.node));
  }
  return found;
}
