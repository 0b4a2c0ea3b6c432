import { RsError, silentLogger } from '@rs/core';
import { codecsOf } from '../codec/codecs.ts';
import { Producer } from '../producer/producer.ts';
import { type ProducerOptions, producerSettings } from '../producer/producer-options.ts';
import { TopicDirectory } from '../topics/topic-directory.ts';
import { TopicStore } from '../topics/topic-store.ts';
import { FakeTimers } from './fake-timers.ts';
import { ModelBroker } from './model-broker.ts';

/** A producer on a model of Redis, with time moved by hand and a topic `orders` of 2 partitions. */
export class Producing {
  readonly broker = new ModelBroker();
  /** What a caller hears when the reply of a call was lost. */
  readonly lost = new RsError('RS_REDIS_CONNECTION_LOST', 'the connection is lost', {
    details: { sent: true },
  });
  readonly timers = new FakeTimers();
  readonly directory: TopicDirectory;
  readonly producer: Producer;
  /** What `random` gives next; then 0. */
  readonly randoms: number[] = [];

  constructor(options: ProducerOptions = {}) {
    const { broker, timers } = this;
    this.create('orders', 2);
    const command = () => Promise.reject(new Error('no producer sends plain commands'));
    const store = new TopicStore({
      client: { run: (call, options) => broker.run(call, options), command },
      prefix: 'rs',
    });
    this.directory = new TopicDirectory({ store, timers, logger: silentLogger, refresh: 10_000 });
    this.producer = new Producer({
      client: broker,
      prefix: 'rs',
      directory: this.directory,
      settings: producerSettings(options, codecsOf()),
      timers,
      random: () => this.randoms.shift() ?? 0,
      ids: () => 'me',
      logger: silentLogger,
      onClosed: () => undefined,
    });
  }

  create(topic: string, partitions: number, shards = partitions): void {
    this.broker.topics.set(topic, { partitions, shards, version: partitions, createdAt: 1 });
  }

  /** Values that were written to a partition, as JSON. */
  values(partition: number, topic = 'orders', shard = partition): string[] {
    return this.broker.values(`rs:{${topic}#${shard}}:p${partition}`);
  }
}
