import type { Message, Topic } from '@rs/core';
import { BoundedOutOfOrdernessWatermarkGenerator } from '@rs/watermark';
import type { NodeInput } from '../graph/node.ts';
import { MapOperator } from '../operator/stateless.ts';
import { TimestampsOperator } from '../operator/timestamps.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator, makeSource } from './make-node.ts';
import type { TopicSpec } from './source-spec.ts';
import { timeId } from './subscriptions.ts';
import { topicValue } from './topic-value.ts';

/**
 * A topic's source and, behind it, the watermarks of its partitions.
 *
 * @param id uid of the source, where it was given one; the watermark, which is state too, gets one from it
 * @param outOfOrderness in milliseconds
 */
export function topicMessages(
  host: BuilderHost,
  spec: TopicSpec,
  id: string | undefined,
  outOfOrderness: number,
): NodeInput {
  const source = makeSource(host, spec.topic, spec, { uid: id, detail: `group ${spec.group}` });
  const time = makeOperator(
    host,
    { name: 'message time', ...(id === undefined ? {} : { uid: timeId(id) }) },
    {
      kind: 'timestamps',
      detail: `out of order by ${outOfOrderness} ms`,
      inputs: [{ node: source, tag: undefined }],
      create: ({ gate, outputs }) =>
        new TimestampsOperator<Message<unknown>>(gate, outputs.main, {
          assigner: undefined,
          createGenerator: () => new BoundedOutOfOrdernessWatermarkGenerator(outOfOrderness),
          idleness: undefined,
        }),
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
