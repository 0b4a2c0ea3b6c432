import { isTopicSink, type Logger, RsError, type StreamSink, type TopicSink } from '@rs/core';
import { labelOf, type LogicalGraph, type SinkNode } from '@rs/runtime';
import { isSlotSink, type SlotSink } from './slot/slot-sink.ts';

/** How the results of one sink of the job get where they belong. */
export type PlannedSink = {
  readonly node: SinkNode;
  /** Operator id. */
  readonly id: string;
  /** How messages call it. */
  readonly label: string;
} & (
  | { readonly type: 'slot'; readonly sink: SlotSink<unknown> }
  | { readonly type: 'topic'; readonly sink: TopicSink<unknown> }
  | { readonly type: 'function'; readonly sink: StreamSink<unknown> }
);

const HOOKS = ['onCheckpointStart', 'onCheckpointComplete', 'onCheckpointAbort', 'onCheckpointRestore'];

/**
 * Sorts out the sinks of a job.
 *
 * @throws RsError `RS_UNSUPPORTED` for a sink with transactions; `RS_INVALID_ARGUMENT` when two sinks in the slot have one name
 */
export function planSinks(graph: LogicalGraph, logger: Logger): readonly PlannedSink[] {
  const names = new Map<string, string>();
  return graph.sinks.map((node) => {
    const planned = planSink(node, graph.operatorId(node), logger);
    if (planned.type !== 'slot') return planned;
    const { name } = planned.sink;
    const other = names.get(name);
    if (other !== undefined) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${other} and ${planned.label} would both write to '${name}'; give one of them another name`,
        { details: { name } },
      );
    }
    names.set(name, planned.label);
    return planned;
  });
}

function planSink(node: SinkNode, id: string, logger: Logger): PlannedSink {
  const label = labelOf(node);
  const sink: unknown = node.sink;
  if (isSlotSink(sink)) return { node, id, label, type: 'slot', sink };
  if (isTopicSink(sink)) return { node, id, label, type: 'topic', sink };
  if (hasMethod(sink, 'beginTxn')) {
    throw new RsError(
      'RS_UNSUPPORTED',
      `${label} has transactions, which need the checkpoints that this engine does not have yet; ` +
        'toTopic and the sinks in the slot (redisHash and others) have each result exactly once without',
      { details: { operator: id } },
    );
  }
  if (HOOKS.some((hook) => hasMethod(sink, hook))) {
    logger.warn(
      { operator: id },
      `${label} waits to be told of checkpoints, and this engine takes none yet; it only gets results: what it keeps back for a checkpoint stays there`,
    );
  }
  return { node, id, label, type: 'function', sink: sink as StreamSink<unknown> };
}

function hasMethod(sink: unknown, method: string): boolean {
  return typeof (sink as Readonly<Record<string, unknown>>)[method] === 'function';
}
