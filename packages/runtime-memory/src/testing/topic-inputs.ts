import { checkTimestamp, type Clock, RsError, type Topic } from '@rs/core';
import type { LogicalGraph, SourceNode, SourceSpec } from '@rs/runtime';
import { type JobSimulation, transferred } from '@rs/runtime/testing';
import { shown } from '../shown.ts';
import { checkValue } from '../topic/memory-topics.ts';
import { checkMessage, type NewMessage } from '../topic/new-message.ts';
import { TopicLog } from '../topic/topic-log.ts';
import { notRead } from './check-options.ts';

/** A topic, or its name. */
export type TopicOrName = Topic<unknown, unknown> | string;

/** A topic that the job reads. */
interface ReadTopic {
  readonly log: TopicLog;
  /** Those that read it: one for each group. */
  readonly sources: readonly SourceNode[];
  /** Partitions that count as idle until their next message. */
  readonly idle: Set<number>;
  ended: boolean;
}

const NO_HEADERS = Object.freeze({});

/** The topics of a job, which a test fills. */
export class TopicInputs {
  readonly #job: JobSimulation;
  readonly #clock: Clock;
  readonly #topics = new Map<string, ReadTopic>();

  constructor(job: JobSimulation, clock: Clock) {
    this.#job = job;
    this.#clock = clock;
    const { graph, partitionsOf } = job.topology;
    for (const name of topicsOf(graph)) {
      const sources = graph.sources.filter((source) => topicOf(source) === name);
      const partitions = Math.max(...sources.map(partitionsOf));
      this.#topics.set(name, { log: new TopicLog(name, partitions), sources, idle: new Set(), ended: false });
    }
  }

  /**
   * Checks messages and copies them. What is returned appends them, all or none.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_VALUE`, `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`, `RS_INVALID_ARGUMENT`,
   *   `RS_USER_FUNCTION_FAILED` when the schema throws
   */
  prepare(topic: TopicOrName, messages: readonly NewMessage<unknown>[]): () => void {
    const read = this.#read(topic, 'send');
    const where = `send to topic '${read.log.name}'`;
    const drafts = messages.map((message) => {
      checkMessage(message, read.log, where);
      if (message.timestamp !== undefined) checkTimestamp(message.timestamp, where);
      if (typeof topic !== 'string') checkValue(topic, message.value);
      const headers = message.headers === undefined ? NO_HEADERS : { ...message.headers };
      return { ...message, headers, value: transferred(message.value, where) };
    });
    return () => {
      assertNotEnded(read, 'send');
      for (const draft of drafts) this.#append(read, draft);
    };
  }

  /** @throws RsError `RS_UNKNOWN_TOPIC`; `RS_INVALID_ARGUMENT` for a partition that does not exist, `RS_CLOSED` after its end */
  idle(topic: TopicOrName, partition: number | undefined): void {
    const read = this.#read(topic, 'idle');
    assertNotEnded(read, 'idle');
    for (const one of partitionsIn(read, partition, 'idle')) {
      read.idle.add(one);
      this.#setIdle(read, one, true);
    }
  }

  /** Appends the end of a topic, or of all that have not ended. @throws RsError `RS_UNKNOWN_TOPIC` */
  end(topic: TopicOrName | undefined): void {
    const ending = topic === undefined ? [...this.#topics.values()] : [this.#read(topic, 'end')];
    for (const read of ending) {
      if (read.ended) continue;
      read.ended = true;
      for (const partition of read.log.partitions.keys())
        for (const source of read.sources) this.#job.append(source, partition, { type: 'end' });
    }
  }

  /** Moves event time, everywhere, in a topic or in one partition of it. @throws RsError as {@link idle} */
  async advance(timestamp: number, place?: { topic: TopicOrName; partition?: number }): Promise<void> {
    if (place === undefined) {
      await this.#job.advance(timestamp);
    } else {
      const read = this.#read(place.topic, 'advanceWatermark');
      assertNotEnded(read, 'advanceWatermark');
      for (const partition of partitionsIn(read, place.partition, 'advanceWatermark'))
        for (const source of read.sources) await this.#job.advance(timestamp, { source, partition });
    }
    this.#stayIdle();
    await this.#job.flush();
  }

  #append(read: ReadTopic, message: NewMessage<unknown>): void {
    const { key, value, headers = NO_HEADERS, timestamp = this.#clock.now() } = message;
    const stored = read.log.append({ key, value, timestamp, headers }, message.partition);
    const { partition } = stored;
    if (read.idle.delete(partition)) this.#setIdle(read, partition, false);
    for (const source of read.sources)
      this.#job.append(source, partition, { type: 'record', value: stored, timestamp, key });
  }

  /** A raised watermark ends idleness, which is to last until the next message. */
  #stayIdle(): void {
    for (const read of this.#topics.values()) {
      if (read.ended) continue;
      for (const partition of read.idle) {
        this.#setIdle(read, partition, false);
        this.#setIdle(read, partition, true);
      }
    }
  }

  #setIdle(read: ReadTopic, partition: number, idle: boolean): void {
    for (const source of read.sources) this.#job.append(source, partition, { type: 'status', idle });
  }

  #read(topic: TopicOrName, method: string): ReadTopic {
    const name: unknown = typeof topic === 'string' ? topic : (topic as Partial<typeof topic> | null)?.name;
    const read = typeof name === 'string' ? this.#topics.get(name) : undefined;
    if (read !== undefined) return read;
    throw notRead(method, name ?? topic, [...this.#topics.keys()]);
  }
}

/** The names of the topics that a job reads. */
export function topicsOf(graph: LogicalGraph): ReadonlySet<string> {
  return new Set(graph.sources.flatMap((source) => topicOf(source) ?? []));
}

/** The name of the topic that a source reads; `undefined` for another kind of source. */
export function topicOf(source: SourceNode): string | undefined {
  const spec = source.source as SourceSpec;
  return spec.type === 'topic' ? spec.topic : undefined;
}

function partitionsIn({ log }: ReadTopic, partition: number | undefined, method: string): readonly number[] {
  if (partition === undefined) return [...log.partitions.keys()];
  if (log.partition(partition) !== undefined) return [partition];
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${method}: the partitions of topic '${log.name}' are 0 to ${log.partitions.length - 1}, got ${shown(partition)}`,
    { details: { operation: method, topic: log.name, received: partition } },
  );
}

function assertNotEnded({ log, ended }: ReadTopic, method: string): void {
  if (!ended) return;
  throw new RsError('RS_CLOSED', `${method}: topic '${log.name}' has ended; call end after it`, {
    details: { operation: method, topic: log.name },
  });
}
