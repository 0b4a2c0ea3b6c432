import { closeQuietly } from '../operator/closing.ts';
import { ExchangeReceiver, KeySender } from '../operator/exchange.ts';
import { Gate } from '../operator/gate.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import { KeyedGroup, type Prefetcher } from '../operator/keyed-group.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import { Outputs } from '../operator/outputs.ts';
import { type AnyReceiver, multicast, NOWHERE } from '../operator/receiver.ts';
import type { Task } from '../operator/task.ts';
import type { StateStore } from '../state/store.ts';
import { type GraphNode, labelOf, type OperatorNode, type SinkNode, type SourceNode } from './node.ts';
import { type ExchangeEdge, isBehindExchange, receivedId, type Stage, type Topology } from './topology.ts';

/** Which operators to make: those of one partition of one stage. */
export interface PlanPlace {
  readonly topology: Topology;
  readonly stage: Stage;
  readonly partition: number;
  readonly task: Task;
  /** Keeps the state of these operators. */
  readonly store: StateStore;
}

/** How a driver takes part in making the operators of a plan. */
export interface PlanHost {
  /** What stands for a sink. */
  sink(node: SinkNode, gate: Gate): AnyReceiver;
  /** What takes the records that leave the stage, by number of the partition they go to. */
  destinations?(edge: ExchangeEdge): readonly AnyReceiver[];
  /** Lets a driver put a batch barrier before receivers: to have state read first, and items of several inputs in order. */
  barrier?(prefetcher: Prefetcher | undefined): (receiver: AnyReceiver) => AnyReceiver;
  /** Takes what is sent to a side output, besides those who read it. */
  sideOutput?: ((node: OperatorNode, tag: string) => AnyReceiver) | undefined;
}

/** The operators of one partition of a stage. */
export interface Plan {
  readonly place: PlanPlace;
  /** Where the records of each source go in that has this partition. */
  readonly heads: ReadonlyMap<SourceNode, AnyReceiver>;
  /** Where the items of an exchange go in, by number of the partition that sends; a forwarded edge has one sender. */
  readonly received: ReadonlyMap<ExchangeEdge, readonly AnyReceiver[]>;
  /** Inputs that this partition does not have, and for which it must not wait. */
  readonly absent: readonly AnyReceiver[];
  /** The sending ends of exchanges. */
  readonly senders: readonly AnyReceiver[];
  /** In topological order, with the ids under which their facts are stored. */
  readonly operators: readonly PlannedOperator[];
  /** What the operators behind each keyBy share. */
  readonly groups: readonly KeyedGroup[];
}

export interface PlannedOperator {
  readonly id: string;
  readonly node: OperatorNode;
  readonly instance: OperatorInstance;
}

/** Makes the operators from the sinks upwards, so that each is given what it sends to. */
export function instantiate(place: PlanPlace, host: PlanHost): Plan {
  return new PlanMaker(place, host).make();
}

class PlanMaker {
  readonly #place: PlanPlace;
  readonly #host: PlanHost;
  readonly #inputs = new Map<GraphNode, readonly AnyReceiver[]>();
  readonly #groups = new Map<GraphNode, KeyedGroup>();
  readonly #operators: PlannedOperator[] = [];
  readonly #senders: AnyReceiver[] = [];
  readonly #absent: AnyReceiver[] = [];

  constructor(place: PlanPlace, host: PlanHost) {
    this.#place = place;
    this.#host = host;
  }

  make(): Plan {
    const { stage, topology, partition, task } = this.#place;
    for (const node of stage.nodes.toReversed()) {
      if (node.kind === 'sink')
        this.#inputs.set(node, [this.#host.sink(node, new Gate(task, labelOf(node), 'RS_SINK_FAILED'))]);
      else if (node.kind !== 'source') this.#inputs.set(node, this.#makeOperator(node));
    }
    const heads = new Map<SourceNode, AnyReceiver>();
    for (const node of stage.sources) {
      const head = this.#readers(node, undefined);
      if (partition < topology.partitionsOf(node)) heads.set(node, head);
      else this.#absent.push(head);
    }
    const received = new Map(stage.received.toReversed().map((edge) => [edge, this.#receive(edge)] as const));
    openAll(this.#operators, task);
    return {
      place: this.#place,
      heads,
      received,
      absent: this.#absent,
      senders: this.#senders,
      operators: this.#operators,
      groups: [...this.#groups.values()],
    };
  }

  #makeOperator(node: OperatorNode): readonly AnyReceiver[] {
    const { topology, partition, task, store } = this.#place;
    const { graph, partitions } = topology;
    // Everything behind a keyBy has been made, so its group is known when there is one.
    const behind = this.#groups.get(node);
    const main = this.#readers(node, undefined);
    const outputs = new Outputs(
      behind === undefined ? main : this.#barrier(behind)(main),
      new Map(graph.tagsOf(node).map((tag) => [tag, this.#readers(node, tag)])),
      this.#host.sideOutput === undefined ? undefined : (tag) => this.#host.sideOutput?.(node, tag),
    );
    const operatorId = graph.operatorId(node);
    const instance = node.create({
      task,
      store,
      operatorId,
      partition,
      partitions: node.routing === undefined ? partitions.of(node) : partitions.after(node),
      gate: new Gate(task, labelOf(node)),
      outputs,
      behind,
      group: (keyBy, binding) => this.#group(keyBy, binding),
    });
    this.#operators.unshift({ id: operatorId, node, instance });
    const needsBarrier = instance.prefetcher !== undefined || instance.inputs.length > 1;
    return needsBarrier ? instance.inputs.map(this.#barrier(instance.prefetcher)) : instance.inputs;
  }

  /** What stands for everyone who reads an output: operators here, and later stages. */
  #readers(node: GraphNode, tag: string | undefined): AnyReceiver {
    const { topology, stage } = this.#place;
    const receivers: AnyReceiver[] = [];
    const sent = new Set(stage.sent.filter((edge) => edge.node === node && edge.tag === tag));
    for (const { reader, input } of topology.graph.readersOf(node, tag)) {
      const here = this.#inputs.get(reader)?.[input];
      const edge = [...sent].find(({ to }) => to.nodes.includes(reader));
      if (edge !== undefined) {
        sent.delete(edge);
        receivers.push(this.#sender(edge));
      } else if (here !== undefined) receivers.push(here);
    }
    return multicast(receivers);
  }

  #sender(edge: ExchangeEdge): AnyReceiver {
    const destinations = this.#host.destinations?.(edge) ?? [];
    const sender = senderTo(edge, destinations, this.#place.partition);
    this.#senders.push(sender);
    return sender;
  }

  #receive(edge: ExchangeEdge): readonly AnyReceiver[] {
    const { task, topology, partition } = this.#place;
    const { graph, partitions } = topology;
    const inputs = graph.readersOf(edge.node, edge.tag).flatMap(({ reader, input }) => {
      const receiver = this.#inputs.get(reader)?.[input];
      return receiver === undefined ? [] : [{ receiver, exists: partition < partitions.of(reader) }];
    });
    // A broadcast goes to all partitions of the stage, of which a reader may have fewer.
    for (const { receiver, exists } of inputs) if (!exists) this.#absent.push(receiver);
    const main = multicast(inputs.filter(({ exists }) => exists).map(({ receiver }) => receiver));
    if (partition >= edge.receivers) {
      this.#absent.push(main);
      return [];
    }
    if (edge.routing === 'forward' || edge.node.kind === 'source') return [main];
    const group = this.#groups.get(edge.node);
    const out = group === undefined ? main : this.#barrier(group)(main);
    const instance = new ExchangeReceiver(task, out, edge.senders, group, !isBehindExchange(edge.from));
    const id = receivedId(topology.graph.operatorId(edge.node));
    this.#operators.unshift({ id, node: edge.node, instance });
    return instance.inputs;
  }

  #group(keyBy: GraphNode, binding: KeyedBinding): KeyedGroup {
    const { task, store, topology } = this.#place;
    const made =
      this.#groups.get(keyBy) ?? new KeyedGroup(task, store, binding, topology.graph.operatorId(keyBy));
    this.#groups.set(keyBy, made);
    return made;
  }

  #barrier(prefetcher: Prefetcher | undefined): (receiver: AnyReceiver) => AnyReceiver {
    return this.#host.barrier?.(prefetcher) ?? ((receiver) => receiver);
  }
}

function senderTo(edge: ExchangeEdge, destinations: readonly AnyReceiver[], partition: number): AnyReceiver {
  switch (edge.routing) {
    case 'forward':
      return destinations[partition] ?? NOWHERE;
    case 'broadcast':
      return multicast(destinations);
    default:
      return new KeySender(destinations);
  }
}

/** Opens the user functions; when one fails, those that were opened are closed. */
function openAll(operators: readonly PlannedOperator[], task: Task): void {
  const opened: PlannedOperator[] = [];
  try {
    for (const operator of operators) {
      opened.push(operator);
      operator.instance.open?.();
    }
  } catch (error) {
    for (const { instance, node } of opened)
      closeQuietly(() => instance.close?.(), labelOf(node), task.options.logger);
    throw error;
  }
}
