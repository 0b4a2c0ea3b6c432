import { isRsError, silentLogger, topic } from '@rs/core';
import { codecsOf, compareIds } from '@rs/mq';
import { TopicKeys } from '@rs/redis';
import { FunctionTarget } from '../deliver/function-target.ts';
import { OutFeed } from '../deliver/out-feed.ts';
import { SharedSink } from '../deliver/shared-sink.ts';
import type { Replicated } from '../deliver/replication.ts';
import { type TaskOutput, TaskOutputs } from '../deliver/task-outputs.ts';
import { TopicTarget } from '../deliver/topic-target.ts';
import { cursorOf } from '../sink/cursor.ts';
import { FunctionTaskSink } from '../sink/function-task-sink.ts';
import { idAfter } from '../sink/out-position.ts';
import { TopicTaskSink } from '../sink/topic-task-sink.ts';
import { FakeTimers } from './fake-timers.ts';
import { type Fate, ModelRedis } from './model-outputs.ts';

export const PARTITIONS = 3;
const TOPIC = 'results';
const SOURCE = 'job:task:0:topic';
/** Milliseconds that a call, or a reply, is on its way. */
const TRAVEL = 2;
const OUT = { topic: 'out:topic', function: 'out:function' };

/** One owner of the task, from its acquisition to its death. */
export interface Owner {
  readonly outputs: TaskOutputs;
  /** What its function sink was given. */
  readonly given: number[];
  readonly fatal: unknown[];
}

export interface WorldOptions {
  /** What becomes of calls of Redis, one after the other; then they all succeed. */
  readonly fates?: readonly Fate[];
  /** Which calls of the function sink fail. */
  readonly failing?: readonly boolean[];
  readonly memory?: number;
  readonly maxBytes?: number;
  readonly onRollback?: 'halt' | 'continue';
  /** Default: results do not wait for replicas. */
  readonly replicated?: Replicated;
}

/** A task with a topic sink and a function sink, whose owners come and go. Values are numbers; the key of one is its last digit. */
export class OutputWorld {
  readonly redis = new ModelRedis();
  readonly timers = new FakeTimers();
  /** What was committed, in order. */
  readonly committed: number[] = [];
  /** What function sinks were given, by all owners. */
  readonly given: number[] = [];
  readonly keys = new TopicKeys({ topic: TOPIC, shards: 1 });
  stored = { seq: 0, cursors: {} as Readonly<Record<string, string>>, gen: 'g0' };
  readonly #fates: Fate[];
  readonly #failing: boolean[];
  readonly #options: WorldOptions;
  #gens = 0;
  #next = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.#fates = [...(options.fates ?? [])];
    this.#failing = [...(options.failing ?? [])];
  }

  /** A new owner, which has looked at everything and delivers. */
  async acquire(): Promise<Owner> {
    const given: number[] = [];
    const fatal: unknown[] = [];
    const outputs = new TaskOutputs(
      new Map<string, TaskOutput>([
        ['topic', this.#topicOutput()],
        ['function', this.#functionOutput(given)],
      ]),
      { onChange: () => undefined, onTrouble: () => undefined, onFatal: (error) => fatal.push(error) },
      {
        timers: this.timers,
        random: () => 0.5,
        retry: { attempts: 1, initialBackoff: 10, maxBackoff: 100 },
        outLog: { maxBytes: this.#options.maxBytes ?? 1_000_000 },
      },
      this.#options.replicated,
    );
    await this.#passing(openInsistently(outputs));
    outputs.start();
    return { outputs, given, fatal };
  }

  /** Commits new values. `answered: false`: the owner is not told. */
  commit({ outputs }: Owner, count: number, { answered = true } = {}): void {
    const seq = this.stored.seq + 1;
    const values = Array.from({ length: count }, () => this.#next++);
    const results = [...outputs.sinks].flatMap(([id, sink]) =>
      count === 0
        ? []
        : sink.ops(
            values.map((value) => ({ sink: id, value: outputs.transfer(value, id), timestamp: value })),
            seq,
          ),
    );
    const ops = [...outputs.ops(seq), ...results];
    const cursors = outputs.cursors();
    this.redis.apply(ops);
    this.stored = { ...this.stored, seq, cursors };
    this.committed.push(...values);
    if (answered) outputs.committed({ seq, ops, cursors });
  }

  /** What a batch makes that is never committed. */
  forget({ outputs }: Owner): void {
    const seq = this.stored.seq + 1;
    for (const [id, sink] of outputs.sinks) {
      sink.ops([{ sink: id, value: outputs.transfer(-1, id), timestamp: 0 }], seq);
    }
  }

  /** Lets everything be delivered. */
  async settle(owner: Owner): Promise<void> {
    await this.timers.time.until(() => owner.outputs.empty, 100_000);
  }

  /** Values in the partitions of the topic. */
  delivered(): number[][] {
    return Array.from({ length: PARTITIONS }, (_, partition) =>
      this.redis.stream(this.keys.partition(partition).log).map(({ fields }) => Number(fields[7])),
    );
  }

  /** Values as they should be in the partitions. */
  expected(): number[][] {
    return Array.from({ length: PARTITIONS }, (_, partition) =>
      this.committed.filter((value) => partitionOfValue(value) === partition),
    );
  }

  /** Partitions of the topic lose their last messages, as in a failover. */
  loseTopic(count: number): void {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const { log, sources } = this.keys.partition(partition);
      const messages = this.redis.stream(log);
      const left = messages.splice(-count);
      const value = Number(left[0]?.fields[7]);
      // The position of the one before: each commit of a test begins with a multiple of nine.
      const before =
        this.committed.filter((each) => partitionOfValue(each) === partition && each < value).at(-1) ?? 0;
      this.redis.hash(sources).set(SOURCE, `g0 ${Math.floor(before / 9) + 1}-${before % 9}`);
    }
  }

  /** The state of the task, without what it has delivered. */
  backup() {
    return {
      stored: this.stored,
      committed: this.committed.length,
      redis: this.redis.copy(Object.values(OUT)),
    };
  }

  restore({ stored, committed, redis }: ReturnType<OutputWorld['backup']>): void {
    this.stored = stored;
    this.committed.length = committed;
    this.redis.replace(redis);
  }

  /** Time passes until it has ended. */
  async #passing<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    work.then(end, end);
    await this.timers.time.until(() => ended, 100_000);
    return work;
  }

  #client() {
    return this.redis.client(
      () => this.#fates.shift() ?? 'ok',
      () => new Promise((arrived) => this.timers.after(TRAVEL, arrived)),
    );
  }

  #feed(id: keyof typeof OUT): OutFeed {
    return new OutFeed({
      client: this.#client(),
      key: OUT[id],
      after: cursorOf(this.stored.cursors[id]).id,
      committed: this.stored.seq,
      memory: this.#options.memory ?? 1_000,
    });
  }

  #topicOutput(): TaskOutput {
    const feed = this.#feed('topic');
    const { seq, cursors, gen } = this.stored;
    const cursor = cursorOf(cursors['topic']);
    let trimmed = idAfter(cursor.id);
    const target = new TopicTarget(
      {
        client: this.#client(),
        keys: this.keys,
        source: SOURCE,
        onRollback: this.#options.onRollback ?? 'halt',
        trimmed: () => trimmed,
        between: (after, to) => feed.between(after, to),
        logger: silentLogger,
      },
      cursor.gen ?? gen,
    );
    return {
      label: "sink 'topic'",
      sink: new TopicTaskSink({
        label: "sink 'topic'",
        key: OUT.topic,
        topic: topic(TOPIC),
        options: { key: (value) => String(Number(value) % 10) },
        codecs: codecsOf(),
        partitions: () => PARTITIONS,
      }),
      out: {
        key: OUT.topic,
        feed,
        cursor,
        target,
        open: () => target.open(PARTITIONS, seq, () => `g${++this.#gens}`),
        onTrimmed: (minId) => {
          if (compareIds(minId, trimmed) > 0) trimmed = minId;
        },
      },
    };
  }

  #functionOutput(given: number[]): TaskOutput {
    const invoke = (value: unknown): void => {
      if (this.#failing.shift() === true) throw new Error('not now');
      given.push(value as number);
      this.given.push(value as number);
    };
    const feed = this.#feed('function');
    const target = new FunctionTarget(new SharedSink({ invoke }, "sink 'function'", silentLogger));
    const cursor = cursorOf(this.stored.cursors['function']);
    return {
      label: "sink 'function'",
      sink: new FunctionTaskSink(OUT.function),
      out: { key: OUT.function, feed, cursor, target },
    };
  }
}

async function openInsistently(outputs: TaskOutputs): Promise<void> {
  for (;;) {
    try {
      return await outputs.open();
    } catch (error) {
      if (!isRsError(error, 'RS_REDIS_CONNECTION_LOST')) throw error;
    }
  }
}

function partitionOfValue(value: number): number {
  return String(value % 10).charCodeAt(0) % PARTITIONS;
}
