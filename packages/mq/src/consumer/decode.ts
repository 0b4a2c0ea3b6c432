import { type Message, RsError, type StandardResult, type StandardSchema } from '@rs/core';
import type { Codecs } from '../codec/codecs.ts';
import { decodeEnvelope } from '../envelope/decode-envelope.ts';
import type { Decode } from './lane/runner.ts';

export interface DecodeOptions {
  readonly topic: string;
  readonly codecs: Codecs;
  readonly schema: StandardSchema | undefined;
}

/** Makes messages of the entries of one partition; values become what the schema of the topic makes of them. */
export function decoderFor({ topic, codecs, schema }: DecodeOptions, partition: number): Decode {
  return (delivery) => {
    const message = decodeEnvelope(delivery.messageId, topic, partition, delivery, codecs);
    if (schema === undefined) return message;
    const result = schema['~standard'].validate(message.value);
    if (result instanceof Promise) return result.then((settled) => validated(message, settled));
    return validated(message, result);
  };
}

function validated(message: Message<unknown>, result: StandardResult<unknown>): Message<unknown> {
  if (result.issues === undefined) return { ...message, value: result.value };
  const { topic, partition, id } = message;
  const issues = result.issues.map(({ message: text, path }) => ({
    message: text,
    ...(path === undefined
      ? {}
      : { path: path.map((step) => String(typeof step === 'object' ? step.key : step)) }),
  }));
  const [first] = issues;
  throw new RsError(
    'RS_INVALID_VALUE',
    `message ${id} in partition ${partition} of topic '${topic}' does not match the topic's schema: ${first?.message ?? 'no reason given'}`,
    { details: { topic, partition, id, issues } },
  );
}
