import type { Topic } from '@rs/core';
import { isThenable } from '../checks/is-thenable.ts';
import { topicValue } from '../checks/topic-value.ts';
import type { Codecs } from '../codec/codecs.ts';
import { decodeEnvelope } from '../envelope/decode-envelope.ts';
import type { Decode } from './lane/runner.ts';

/** Makes messages of the entries of one partition; values become what the schema of the topic makes of them. */
export function decoderFor(topic: Topic<unknown, unknown>, codecs: Codecs, partition: number): Decode {
  const { name } = topic;
  return (delivery) => {
    const message = decodeEnvelope(delivery.messageId, name, partition, delivery, codecs);
    if (topic.value === undefined) return message;
    const { id } = message;
    const what = `message ${id} in partition ${partition} of topic '${name}'`;
    const value = topicValue(topic, message.value, what, { topic: name, partition, id });
    if (isThenable(value)) return Promise.resolve(value).then((settled) => ({ ...message, value: settled }));
    return { ...message, value };
  };
}
