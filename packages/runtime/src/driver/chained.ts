import { isTransactional, type SinkNode, type SourceNode } from '../graph/node.ts';
import { instantiate, type Plan } from '../graph/plan.ts';
import type { ExchangeEdge, Topology } from '../graph/topology.ts';
import type { Gate } from '../operator/gate.ts';
import { type AnyReceiver, NOWHERE } from '../operator/receiver.ts';
import { SinkOperator } from '../operator/sink.ts';
import type { Task } from '../operator/task.ts';
import { TransactionalSinkOperator } from '../operator/transactional-sink.ts';
import { StateStore } from '../state/store.ts';
import type { PartitionReader } from './source-reader.ts';

/**
 * All partitions of all stages of a job in one process, over state in memory: exchanges are calls from the sending operator
 * to the receiving one, so a record goes through the whole job before the next one is read.
 */
export class ChainedJob {
  readonly topology: Topology;
  /** Stages in their order, each partition by partition. */
  readonly plans: readonly Plan[];
  /** What stands for each sink. */
  readonly sinks: ReadonlyMap<SinkNode, AnyReceiver>;
  /** The readers whose end was processed. */
  readonly ended = new Set<PartitionReader>();
  /** True when it goes on where an earlier run has been: what is known at the start is known already. */
  resumed = false;
  /** The plans of the partitions of each source, by number of the partition. */
  readonly #plansOf = new Map<SourceNode, readonly Plan[]>();
  /** Partitions that have had nothing to read yet. */
  readonly #quiet = new Set<PartitionReader>();

  /** @param sink what stands for a sink; one for all partitions, so that its records come one after the other */
  constructor(
    topology: Topology,
    task: Task,
    sink: (node: SinkNode, gate: Gate) => AnyReceiver = sinkOperator,
  ) {
    this.topology = topology;
    const sinks = new Map<SinkNode, AnyReceiver>();
    const plans: Plan[] = [];
    for (const stage of topology.stages.toReversed()) {
      for (let partition = stage.partitions - 1; partition >= 0; partition--) {
        const store = new StateStore({ resident: true, schemaMismatch: task.options.schemaMismatch });
        plans.unshift(
          instantiate(
            { topology, stage, partition, task, store },
            {
              sink: (node, gate) => {
                const made = sinks.get(node) ?? sink(node, gate);
                sinks.set(node, made);
                return made;
              },
              destinations: (edge) => destinationsOf(edge, partition, plans),
            },
          ),
        );
      }
    }
    this.plans = plans;
    this.sinks = sinks;
    for (const stage of topology.stages) {
      const own = plans.filter(({ place }) => place.stage === stage);
      for (const source of stage.sources) this.#plansOf.set(source, own);
    }
  }

  /** Where the records of a partition of a source go in. */
  head(source: SourceNode, partition: number): AnyReceiver {
    return this.#plansOf.get(source)?.[partition]?.heads.get(source) ?? NOWHERE;
  }

  /**
   * Says what is known before the first record: inputs that do not exist have ended, and a partition that never had a record
   * counts as idle.
   */
  start(readers: readonly PartitionReader[]): void {
    // Of a partition that had records in an earlier run everybody knows.
    for (const one of readers) if (!this.resumed || one.reader.position() === 0) this.#quiet.add(one);
    if (this.resumed) return;
    for (const { absent } of this.plans) for (const input of absent) input.end();
    for (const { operators } of this.plans) for (const { instance } of operators) instance.begin?.();
    for (const { source, partition } of readers) this.head(source, partition).status(true);
  }

  /**
   * Says which of the quiet partitions have something to read. Invariant: everybody knows of all of them before the first
   * record of any is read, or the partition that comes first would move time on without the others.
   */
  announce(): void {
    for (const one of this.#quiet) {
      if (one.reader.ready?.() === false) continue;
      this.#quiet.delete(one);
      this.head(one.source, one.partition).status(false);
    }
  }
}

/** Those that have something to read: the others had ended before the job was resumed. */
export function readersLeft(
  job: ChainedJob,
  readers: readonly PartitionReader[],
): readonly PartitionReader[] {
  return readers.filter((one) => !job.ended.has(one));
}

function sinkOperator({ sink }: SinkNode, gate: Gate): AnyReceiver {
  return isTransactional(sink) ? new TransactionalSinkOperator(gate, sink) : new SinkOperator(gate, sink);
}

/** The inputs of later stages that take what this partition sends. */
function destinationsOf(
  edge: ExchangeEdge,
  partition: number,
  later: readonly Plan[],
): readonly AnyReceiver[] {
  const receiving = later.filter(({ place }) => place.stage === edge.to && place.partition < edge.receivers);
  const sender = edge.routing === 'forward' ? 0 : partition;
  return receiving.map((plan) => plan.received.get(edge)?.[sender] ?? NOWHERE);
}
