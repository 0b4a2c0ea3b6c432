import { RsError } from '@rs/core';
import { type TopicInfo, type TopicStore, unknownTopic } from '@rs/mq';

/** The topics that a job reads, as they were when it was started. */
export class KnownTopics {
  readonly #topics: ReadonlyMap<string, TopicInfo>;

  constructor(topics: readonly TopicInfo[]) {
    this.#topics = new Map(topics.map((topic) => [topic.name, topic]));
  }

  of(name: string): TopicInfo {
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    throw new RsError('RS_UNKNOWN_TOPIC', `topic '${name}' was not looked at`, { details: { topic: name } });
  }
}

/** @throws RsError `RS_UNKNOWN_TOPIC`; what the client throws */
export async function readTopics(
  store: Pick<TopicStore, 'read'>,
  names: Iterable<string>,
): Promise<KnownTopics> {
  const topics = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const topic = await store.read(name);
      if (topic === undefined) throw unknownTopic(name);
      return topic;
    }),
  );
  return new KnownTopics(topics);
}
