import { randomUUID } from 'node:crypto';
import { CountingRedis } from '../counting-redis.ts';
import { removeKeys } from '../remove-keys.ts';
import type { Job, Way } from '../way.ts';
import { type Changes, type Fold, foldOf } from './fold.ts';
import { readSums } from './read-sums.ts';
import { type Entry, fillStreams, keyOf, partitionsOf, paymentOf, streamOf } from './streams.ts';

type Reply = readonly [stream: string, entries: readonly Entry[]][];

const COUNT = 500;

/** Fields in portions: Lua has room for some 8,000 values. */
const COMMIT = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return redis.error_reply('FENCED') end
local at = 6
local function write(command, key, count)
  local last = at + count - 1
  while at <= last do
    local to = math.min(at + 6999, last)
    redis.call(command, key, unpack(ARGV, at, to))
    at = to + 1
  end
end
local state, gone = tonumber(ARGV[4]), tonumber(ARGV[5])
write('HSET', KEYS[2], state)
write('HDEL', KEYS[2], gone)
write('HSET', KEYS[3], #ARGV - 5 - state - gone)
redis.call('HSET', KEYS[1], 'offset', ARGV[2], 'watermark', ARGV[3])
`;

/**
 * What is necessary for sums that survive, and no more: plain reads, since the position is kept with the state; the next read under
 * way while a batch is added up; the state in memory; and one script per batch and partition that checks who owns it and
 * writes everything at once.
 */
export const script: Way = {
  fill: async (filling) => {
    const redis = CountingRedis.connectTo(filling);
    await fillStreams(redis, filling);
    await redis.quit();
  },
  work: async (job) => {
    const redis = CountingRedis.connectTo(job);
    const loop = new Loop(redis, job);
    await loop.run();
    await redis.quit();
    return redis.calls;
  },
  sums: (job) => readSums(job, job.work.kind === 'sum' ? 'state' : 'results'),
  clear: async (job) => {
    const redis = CountingRedis.connectTo(job);
    await removeKeys(redis, `${job.prefix}:run-${job.run}:*`);
    await redis.quit();
  },
};

class Loop {
  readonly #redis: CountingRedis;
  readonly #job: Job;
  readonly #folds: readonly Fold[];
  readonly #offsets: string[];
  readonly #watermarks: number[];
  readonly #token = randomUUID();
  #sha1 = '';

  constructor(redis: CountingRedis, job: Job) {
    this.#redis = redis;
    this.#job = job;
    this.#folds = partitionsOf(job).map(() => foldOf(job.work));
    this.#offsets = this.#folds.map(() => '0-0');
    this.#watermarks = this.#folds.map(() => -Infinity);
  }

  async run(): Promise<void> {
    this.#sha1 = String(await this.#redis.script('LOAD', COMMIT));
    for (const partition of partitionsOf(this.#job)) {
      await this.#redis.hset(keyOf(this.#job, 'own', partition), 'token', this.#token);
    }
    let commits: Promise<unknown>[] = [];
    for (let next = this.#read(); ;) {
      const reply = await next;
      if (reply === null) break;
      for (const [stream, entries] of reply)
        this.#offsets[partitionOfStream(stream)] = entries.at(-1)?.[0] ?? '';
      next = this.#read();
      const before = commits;
      commits = reply.map(([stream, entries]) => this.#process(partitionOfStream(stream), entries));
      await Promise.all(before);
    }
    await Promise.all(commits);
    await Promise.all(partitionsOf(this.#job).map((partition) => this.#commit(partition, Infinity)));
  }

  #read(): Promise<Reply | null> {
    const streams = this.#offsets.map((_, partition) => streamOf(this.#job, partition));
    return this.#redis.xread('COUNT', COUNT, 'STREAMS', ...streams, ...this.#offsets);
  }

  #process(partition: number, entries: readonly Entry[]): Promise<unknown> {
    const fold = this.#folds[partition];
    let watermark = this.#watermarks[partition] ?? -Infinity;
    for (const entry of entries) {
      const payment = paymentOf(entry);
      fold?.add(payment);
      if (payment.at > watermark) watermark = payment.at;
    }
    this.#watermarks[partition] = watermark;
    return this.#commit(partition, watermark);
  }

  #commit(partition: number, watermark: number): Promise<unknown> {
    const none: Changes = { state: [], gone: [], results: [] };
    const { state, gone, results } = this.#folds[partition]?.take(watermark) ?? none;
    return this.#redis.evalsha(
      this.#sha1,
      3,
      keyOf(this.#job, 'own', partition),
      keyOf(this.#job, 'state', partition),
      keyOf(this.#job, 'results', partition),
      this.#token,
      this.#offsets[partition] ?? '',
      watermark,
      state.length,
      gone.length,
      ...state,
      ...gone,
      ...results,
    );
  }
}

function partitionOfStream(stream: string): number {
  return Number(stream.slice(stream.lastIndexOf(':') + 1));
}
