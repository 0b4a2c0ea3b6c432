import { type Logger, ownValue, type StreamSink } from '@rs/core';
import { compareIds, TopicDirectory, TopicStore, unknownTopic } from '@rs/mq';
import { type RedisClient, TopicKeys } from '@rs/redis';
import { type LogicalGraph, PLAIN, type PlainSink, type Stage } from '@rs/runtime';
import type { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { RuntimeSettings } from '../options/settings.ts';
import { cursorOf } from '../sink/cursor.ts';
import { FunctionTaskSink } from '../sink/function-task-sink.ts';
import { idAfter } from '../sink/out-position.ts';
import { type PlannedSink, planSinks } from '../sink/sink-plan.ts';
import { SlotTaskSink } from '../sink/slot/slot-task-sink.ts';
import type { TaskSink } from '../sink/task-sink.ts';
import { checkSinkCodec, TopicTaskSink } from '../sink/topic-task-sink.ts';
import type { StoredTask } from '../store/task-commit.ts';
import { FunctionTarget } from './function-target.ts';
import { OutFeed } from './out-feed.ts';
import type { Replication } from './replication.ts';
import { SharedSink } from './shared-sink.ts';
import { type TaskOutput, TaskOutputs, type TaskOutputsEvents } from './task-outputs.ts';
import { TopicTarget } from './topic-target.ts';

export interface JobOutputsOptions {
  readonly graph: LogicalGraph;
  readonly client: RedisClient;
  readonly settings: RuntimeSettings;
  readonly logger: Logger;
  /** Told what replicas have, where results wait for that. */
  readonly replication?: Replication | undefined;
}

export interface TaskOutputsOptions extends TaskOutputsEvents {
  readonly place: TaskPlace;
  readonly keys: TaskKeys;
  readonly stage: Stage;
  readonly stored: StoredTask;
  /** Of the lease. */
  readonly token: string;
}

/** Milliseconds after which the number of partitions of a topic in use is looked at again. */
const TOPIC_REFRESH = 10_000;
/** Bytes of results of one sink and task that are kept in memory for it; what is beyond is read from Redis. */
const MEMORY = 4 * 1024 * 1024;

/** The sinks of a job, as the tasks of this process share them. */
export class JobOutputs {
  readonly #options: JobOutputsOptions;
  readonly #sinks: readonly PlannedSink[];
  readonly #shared = new Map<string, SharedSink>();
  readonly #directory: TopicDirectory;
  /** Partitions of the topics that are written to, also when one is deleted meanwhile. */
  readonly #partitions = new Map<string, number>();

  /**
   * @throws RsError `RS_UNSUPPORTED` for sinks that this engine cannot serve; `RS_INVALID_ARGUMENT` for two sinks in the slot with one
   *   name, and for a codec that readers could not find
   */
  constructor(options: JobOutputsOptions) {
    const { graph, client, settings, logger } = options;
    this.#options = options;
    this.#sinks = planSinks(graph, logger);
    for (const each of this.#sinks) {
      if (each.type === 'topic') checkSinkCodec(each.sink.options, settings.codecs, each.label);
      if (each.type === 'function') this.#shared.set(each.id, new SharedSink(each.sink, each.label, logger));
    }
    const store = new TopicStore({ client, prefix: settings.prefix });
    this.#directory = new TopicDirectory({ store, timers: settings.timers, logger, refresh: TOPIC_REFRESH });
  }

  /** Looks for the topics that the job writes to. @throws RsError `RS_UNKNOWN_TOPIC`; what the client throws */
  async check(): Promise<void> {
    await Promise.all(
      this.#sinks.map(async (each) => {
        if (each.type === 'topic') await this.#directory.get(each.sink.topic.name);
      }),
    );
  }

  /** What becomes of the results of one task that was acquired. Nothing is delivered before `open` and `start`. */
  async forTask(options: TaskOutputsOptions): Promise<TaskOutputs> {
    await this.check();
    const outputs = new Map<string, TaskOutput>();
    for (const each of this.#sinks)
      if (options.stage.nodes.includes(each.node)) outputs.set(each.id, this.#outputOf(each, options));
    const { settings, replication } = this.#options;
    const { place, keys, token } = options;
    return new TaskOutputs(outputs, options, settings, replication?.forTask(place, keys, token));
  }

  /** Closes the sinks of the user, after the calls under way. Never rejected. */
  async close(): Promise<void> {
    await Promise.all([...this.#shared.values()].map((sink) => sink.close()));
  }

  #outputOf(each: PlannedSink, options: TaskOutputsOptions): TaskOutput {
    const { id, label } = each;
    const { keys, stored } = options;
    if (each.type === 'slot') {
      return { label, sink: new SlotTaskSink(label, keys.kept(each.sink.name), each.sink.declaration) };
    }
    const { client } = this.#options;
    const key = keys.out(id);
    const cursor = cursorOf(ownValue(stored.cursors, id));
    const feed = new OutFeed({ client, key, after: cursor.id, committed: stored.seq, memory: MEMORY });
    if (each.type === 'function') {
      const shared = this.#shared.get(id) as SharedSink;
      return {
        label,
        sink: new FunctionTaskSink(key, plainOf(each.sink)),
        out: { key, feed, cursor, target: new FunctionTarget(shared) },
      };
    }
    return {
      label,
      sink: this.#topicSink(each, key),
      out: { key, feed, cursor, ...this.#topicTarget(each, options, feed) },
    };
  }

  #topicSink({ label, sink }: Extract<PlannedSink, { type: 'topic' }>, key: string): TaskSink {
    const { topic, options } = sink;
    const { codecs } = this.#options.settings;
    return new TopicTaskSink({
      label,
      key,
      topic,
      options,
      codecs,
      partitions: () => this.#partitionsOf(topic.name),
    });
  }

  #topicTarget(
    { id, sink }: Extract<PlannedSink, { type: 'topic' }>,
    { place, stored }: TaskOutputsOptions,
    feed: OutFeed,
  ) {
    const { client, settings, logger } = this.#options;
    const { name: topic } = sink.topic;
    const shards = this.#directory.peek(topic)?.shards;
    if (shards === undefined) throw unknownTopic(topic);
    // An earlier owner can have removed all that its cursor allowed.
    let trimmed = idAfter(cursorOf(ownValue(stored.cursors, id)).id);
    const target = new TopicTarget(
      {
        client,
        keys: new TopicKeys({ topic, shards, prefix: settings.prefix }),
        source: [place.job, place.task, place.partition, id].join(':'),
        onRollback: settings.onRollback,
        trimmed: () => trimmed,
        between: (after, to) => feed.between(after, to),
        logger,
      },
      cursorOf(ownValue(stored.cursors, id)).gen ?? stored.gen,
    );
    return {
      target,
      open: () => target.open(this.#partitionsOf(topic), stored.seq, settings.ids),
      onTrimmed: (minId: string) => {
        if (compareIds(minId, trimmed) > 0) trimmed = minId;
      },
    };
  }

  #partitionsOf(topic: string): number {
    const partitions = this.#directory.peek(topic)?.partitions ?? this.#partitions.get(topic) ?? 1;
    this.#partitions.set(topic, partitions);
    return partitions;
  }
}

/** What a sink of the kernel wants to be stored of its values; a sink of a user gets them as they are. */
function plainOf(
  sink: StreamSink<unknown> & Partial<PlainSink<unknown>>,
): ((value: unknown) => unknown) | undefined {
  return sink[PLAIN]?.bind(sink);
}
