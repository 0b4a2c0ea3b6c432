import { isTopicSink, type TopicSink } from '@rs/core';
import { INVOKE_AT, type SinkNode, type TimedSink } from '@rs/runtime';
import type { MemoryTopics } from './memory-topics.ts';

/** A sink that was declared with `toTopic` sends to these topics; all others stay what they are. */
export function boundSink(node: SinkNode, topics: MemoryTopics): SinkNode {
  return isTopicSink(node.sink) ? Object.freeze({ ...node, sink: topicSink(node.sink, topics) }) : node;
}

function topicSink({ topic, options }: TopicSink<unknown>, topics: MemoryTopics): TimedSink<unknown> {
  const invokeAt = (value: unknown, time: number): void => {
    const timestamp = options.timestamp === undefined ? time : options.timestamp(value);
    topics.send(topic, {
      key: options.key?.(value),
      value,
      // A result without an event time gets the time of writing; what a function of the user gives is checked.
      ...(timestamp === time && !Number.isFinite(time) ? {} : { timestamp }),
    });
  };
  return {
    // So that a missing topic fails the run before its first record.
    open: () => void topics.partitions(topic),
    invoke: (value) => {
      invokeAt(value, -Infinity);
    },
    [INVOKE_AT]: invokeAt,
  };
}
