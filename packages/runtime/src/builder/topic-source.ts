import type { Message, Topic } from '@rs/core';
import { BoundedOutOfOrdernessWatermarkGenerator } from '@rs/watermark';
import type { NodeInput } from '../graph/node.ts';
import { MapOperator } from '../operator/stateless.ts';
import { TimestampsOperator, type TimestampsSpec } from '../operator/timestamps.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator, makeSource } from './make-node.ts';
import type { TopicSpec } from './source-spec.ts';
import { timeId } from './subscriptions.ts';
import { topicValue } from './topic-value.ts';
import { withDefaults } from './watermark-defaults.ts';

/**
 * A topic's source and, behind it, the watermarks of its partitions.
 *
 * @param id uid of the source, where it was given one; the watermark, which is state too, gets one from it
 */
export function topicMessages(host: BuilderHost, spec: TopicSpec, id: string | undefined): NodeInput {
  const { outOfOrderness } = host.watermarks;
  const timing: TimestampsSpec<Message<unknown>> = {
    assigner: undefined,
    createGenerator: () => new BoundedOutOfOrdernessWatermarkGenerator(outOfOrderness),
    idleness: undefined,
  };
  const source = makeSource(host, spec.topic, spec, { uid: id, detail: `group ${spec.group}` });
  const time = makeOperator(
    host,
    { name: 'message time', ...(id === undefined ? {} : { uid: timeId(id) }) },
    {
      kind: 'timestamps',
      detail: `out of order by ${outOfOrderness} ms`,
      inputs: [{ node: source, tag: undefined }],
      create: ({ gate, outputs }) =>
        new TimestampsOperator(
          gate,
          outputs.main,
          withDefaults(timing, host.watermarks, gate.task.options.clock),
        ),
    },
  );
  return { node: time, tag: undefined };
}

/** The values of messages, as the topic's schema makes them. */
export function topicValues<T>(host: BuilderHost, messages: NodeInput, topic: Topic<T, unknown>): NodeInput {
  const fn = topicValue(topic);
  const node = makeOperator(
    host,
    { name: `values of ${topic.name}` },
    {
      kind: 'map',
      inputs: [messages],
      create: ({ gate, outputs }) => new MapOperator(gate, outputs.main, fn),
    },
  );
  return { node, tag: undefined };
}
