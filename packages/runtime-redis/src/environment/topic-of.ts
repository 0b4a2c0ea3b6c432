import { RsError } from '@rs/core';
import type { SourceNode, SourceSpec, TopicSpec } from '@rs/runtime';

/** What a source reads. @throws RsError `RS_UNSUPPORTED` for anything but a topic */
export function topicOf(source: SourceNode): TopicSpec {
  const spec = source.source as SourceSpec;
  if (spec.type === 'topic') return spec;
  throw new RsError(
    'RS_UNSUPPORTED',
    `source '${source.name}' cannot be read again after a crash, so no job on Redis can be built on it; send what it gives to a topic, and ` +
      'read that with fromTopic or fromMqTopic',
    { details: { operator: source.name } },
  );
}
