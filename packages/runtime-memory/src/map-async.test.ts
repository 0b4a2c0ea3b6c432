import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  defineJob,
  isRsError,
  type MapAsyncOptions,
  type StreamEnvironment,
  topic,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { type JobResult, StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { Deferred } from './test-support/deferred.ts';
import { delayed } from './test-support/delayed.ts';
import { LiveSource } from './test-support/live-source.ts';
import { ManualTime } from './test-support/manual-time.ts';
import { settle } from './test-support/settle.ts';

/** A service that answers when the test says so. */
class Service {
  readonly asked: string[] = [];
  readonly signals = new Map<string, AbortSignal>();
  readonly #answers = new Map<string, Deferred<string>>();

  readonly ask = (question: string, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
    const answer = new Deferred<string>();
    this.asked.push(question);
    this.signals.set(question, signal);
    this.#answers.set(question, answer);
    return answer.promise;
  };

  async answer(question: string): Promise<void> {
    this.#answers.get(question)?.resolve(question.toUpperCase());
    await settle();
  }

  async refuse(question: string): Promise<void> {
    this.#answers.get(question)?.reject(new Error(`no ${question}`));
    await settle();
  }
}

/** A job on the clock of the test. */
class Job {
  readonly time = new ManualTime(1_000_000);
  readonly service = new Service();
  readonly log: string[] = [];
  readonly #stop = new AbortController();
  #running: Promise<JobResult> | undefined;

  async start(define: (env: StreamEnvironment) => DataStream<string>): Promise<void> {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({
      processingTime: 'clock',
      clock: this.time,
      scheduler: this.time,
    });
    const job = defineJob((streams) => define(streams).addSink((v) => void this.log.push(v)));
    this.#running = env.executeAsync(job, { signal: this.#stop.signal });
    this.#running.catch(() => undefined); // Looked at by end().
    await settle();
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** What came since it was asked last. */
  output(): string[] {
    return this.log.splice(0);
  }

  async end(): Promise<JobResult['status'] | undefined> {
    const result = await this.#running;
    expect(this.time.pending).toBe(0);
    return result?.status;
  }
}

const letters = (text: string) => text.split('');

describe('mapAsync', () => {
  async function resultsOf(text: string, answers: string, options: MapAsyncOptions): Promise<string> {
    const job = new Job();
    await job.start((env) => env.fromCollection(letters(text)).mapAsync(job.service.ask, options));
    for (const letter of answers) await job.service.answer(letter);
    expect(await job.end()).toBe('finished');
    return job.output().join('');
  }

  test('asks about several records at once, and gives the answers in order', async () => {
    expect(await resultsOf('abcde', 'edcba', {})).toBe('ABCDE');
  });

  test('or as they come', async () => {
    expect(await resultsOf('abcde', 'edcba', { ordered: false })).toBe('EDCBA');
  });

  test('the run ends when the last answer was processed, no sooner', async () => {
    const job = new Job();
    await job.start((env) =>
      env
        .fromElements('a', 'b')
        .mapAsync(job.service.ask)
        .map(async (answer) => {
          await settle();
          return answer;
        }),
    );
    await job.service.answer('b');
    expect(job.output()).toEqual([]);
    await job.service.answer('a');
    expect(await job.end()).toBe('finished');
    expect(job.output()).toEqual(['A', 'B']);
  });

  test.each([true, false])('keeps event time: nothing comes late (ordered: %p)', async (ordered) => {
    const strategy = WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner((at) => at);
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const counts: string[] = [];
    const job = defineJob((streams) =>
      streams
        .fromCollection(Array.from({ length: 100 }, (_, at) => at))
        .assignTimestampsAndWatermarks(strategy)
        .mapAsync(
          async (at) => {
            for (let turns = 0; turns < (at * 7) % 11; turns++) await Promise.resolve();
            return at;
          },
          { ordered },
        )
        .keyBy(() => 'all')
        .window(TumblingWindow.of(20))
        .apply<string>((_key, { start }, { length }, out) => out.collect(`${start}: ${length}`))
        .addSink((count) => void counts.push(count)),
    );
    const { metrics } = await env.executeAsync(job);
    expect(counts).toEqual(['0: 20', '20: 20', '40: 20', '60: 20', '80: 20']);
    expect(metrics.lateRecords).toBe(0);
  });

  test('in an eager run it is refused, whatever its function returns', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const upper = env.fromElements('a').mapAsync((letter) => letter.toUpperCase());
    expect(() => upper.addSink(() => undefined)).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    expect(() => [...upper]).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    expect([...env.fromCollection<string>([]).mapAsync((letter) => letter)]).toEqual([]);
  });
});

describe('back-pressure', () => {
  function counting(count: number) {
    const source = { read: 0 };
    function* numbers() {
      for (; source.read < count; source.read++) yield String(source.read);
    }
    return { source, numbers };
  }

  test('of 10,000 records only as many are read as may be under way', async () => {
    const job = new Job();
    const { source, numbers } = counting(10_000);
    await job.start((env) => env.fromCollection(numbers()).mapAsync(job.service.ask, { concurrency: 8 }));
    expect([job.service.asked.length, source.read]).toEqual([8, 7]);
    for (let i = 0; i < 5; i++) await job.service.answer(String(i));
    expect(job.service.asked.length).toBe(13);
    expect(source.read).toBeLessThanOrEqual(13);
    job.cancel();
    expect(await job.end()).toBe('cancelled');
  });

  test('a slow sink holds back what comes before, too', async () => {
    const job = new Job();
    const { source, numbers } = counting(10_000);
    const writing: Deferred[] = [];
    await job.start((env) =>
      env
        .fromCollection(numbers())
        .mapAsync((number) => Promise.resolve(number), { concurrency: 8 })
        .map(async (number) => {
          const written = new Deferred();
          writing.push(written);
          await written.promise;
          return number;
        }),
    );
    expect([writing.length, source.read]).toEqual([1, 7]);
    for (let i = 0; i < 20; i++) {
      writing.at(-1)?.resolve();
      await settle();
    }
    expect(job.output()).toHaveLength(20);
    expect(source.read).toBeLessThan(20 + 2 * 8);
    job.cancel();
    await job.end();
  });

  test('the limit is that of each partition', async () => {
    const questions = topic<string>('questions');
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.topics.create(questions, { partitions: 2 });
    for (const [index, value] of letters('abcd').entries())
      env.topics.send(questions, { value, partition: index % 2 });
    const service = new Service();
    const results: string[] = [];
    const running = env.executeAsync(
      defineJob((streams) =>
        streams
          .fromTopic(questions, 'test', { until: 'now' })
          .mapAsync(service.ask, { concurrency: 2 })
          .addSink((answer) => void results.push(answer)),
      ),
    );
    await settle();
    expect(service.asked).toEqual(['a', 'c']);
    await service.answer('a');
    expect(service.asked).toEqual(['a', 'c', 'b', 'd']); // Three of them are under way.
    for (const letter of 'dbc') await service.answer(letter);
    await running;
    expect(results).toEqual(['A', 'B', 'D', 'C']);
  });

  test('a live source goes on below the limit, and waits at it', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => env.addSource(source).mapAsync(job.service.ask, { concurrency: 2 }));
    for (const letter of 'abcd') void source.send(letter);
    await settle();
    expect(job.service.asked).toEqual(['a', 'b']);
    await job.service.answer('a');
    expect([job.service.asked, job.output()]).toEqual([['a', 'b', 'c'], ['A']]);
    source.end();
    for (const letter of 'bcd') await job.service.answer(letter);
    await job.end();
    expect(job.output()).toEqual(['B', 'C', 'D']);
  });
});

describe('the clock', () => {
  /** Emits each answer, and asks for a timer 500 ms later. */
  const withTimer = (stream: DataStream<string>) => stream.keyBy((v) => v).process(delayed(500));

  test('a timer of an answer that came while the run slept fires in time', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => withTimer(env.addSource(source).mapAsync(job.service.ask)));
    void source.send('a');
    await job.time.advance(300);
    await job.service.answer('a');
    expect(job.output()).toEqual(['A']);
    await job.time.advance(499);
    expect(job.output()).toEqual([]);
    await job.time.advance(1);
    expect(job.output()).toEqual(['A fired 1000800 at 1000800']);
    source.end();
    await job.end();
  });

  test('and also when the sources have ended, while other answers are missing', async () => {
    const job = new Job();
    await job.start((env) => withTimer(env.fromElements('a', 'b', 'c').mapAsync(job.service.ask)));
    await job.service.answer('a');
    await job.time.advance(500);
    expect(job.output()).toEqual(['A', 'A fired 1000500 at 1000500']);
    await job.service.answer('b');
    await job.time.advance(100);
    await job.service.answer('c');
    await job.end();
    // What is left fires at the end of the input, which comes after the last answer.
    expect(job.output()).toEqual(['B', 'C', 'B fired 1001000 at 1001000', 'C fired 1001100 at 1001100']);
  });

  test('a timer that is due waits for what an answer has led to', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    const slow = new Deferred();
    await job.start((env) =>
      withTimer(
        env
          .addSource(source)
          .mapAsync(job.service.ask)
          .map(async (answer) => {
            if (answer === 'B') await slow.promise;
            return answer;
          }),
      ),
    );
    void source.send('a');
    void source.send('b');
    await settle();
    await job.service.answer('a');
    await job.service.answer('b');
    await job.time.advance(500);
    expect(job.output()).toEqual(['A']);
    slow.resolve();
    await settle();
    expect(job.output()).toEqual(['B', 'A fired 1000500 at 1000500']);
    source.end();
    await job.end();
  });

  test('a call that takes too long fails the run, and says so to the function', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => env.addSource(source).mapAsync(job.service.ask, { name: 'ask', timeout: '2s' }));
    void source.send('a');
    void source.send('b');
    await job.time.advance(1_999);
    await job.service.answer('a');
    expect(job.output()).toEqual(['A']);
    await job.time.advance(1);
    const failure: unknown = await job.end().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'RS_ASYNC_TIMEOUT',
      details: { operator: "mapAsync 'ask'", timeout: 2000, attempt: 1 },
    });
    expect([job.service.signals.get('a')?.aborted, job.service.signals.get('b')?.reason]).toEqual([
      false,
      failure,
    ]);
  });

  test('a call that fails is made again after a while', async () => {
    const job = new Job();
    await job.start((env) =>
      env.fromElements('a', 'b').mapAsync(job.service.ask, {
        retry: { attempts: 2, delay: '1s', retryIf: (error) => (error as Error).message === 'no a' },
      }),
    );
    await job.service.answer('b');
    await job.service.refuse('a');
    await job.time.advance(1_000);
    expect(job.service.asked).toEqual(['a', 'b', 'a']);
    await job.service.answer('a');
    expect(await job.end()).toBe('finished');
    expect(job.output()).toEqual(['A', 'B']);
  });

  test('no input counts as idle while answers are missing: that is no silence', async () => {
    const job = new Job();
    const [busy, quiet] = [new LiveSource<string>(), new LiveSource<string>()];
    const strategy = WatermarkStrategy.forMonotonousTimestamps<string>();
    await job.start((env) =>
      env
        .addSource(quiet)
        .assignTimestampsAndWatermarks(strategy.withIdleness('1s'))
        .mapAsync(job.service.ask)
        .union(env.addSource(busy).assignTimestampsAndWatermarks(strategy))
        .keyBy(() => 'all')
        .window(TumblingWindow.of(10))
        .apply<string>((_key, { start }, values, out) => out.collect(`${start} ${values.join('')}`)),
    );
    void quiet.send('a', 1);
    void busy.send('x', 2);
    void busy.send('y', 25);
    await job.time.advance(5_000);
    expect(job.output()).toEqual([]);
    await job.service.answer('a');
    expect(job.output()).toEqual([]);
    await job.time.advance(1_000);
    expect(job.output()).toEqual(['0 xA']);
    quiet.end();
    busy.end();
    await job.end();
    expect(job.output()).toEqual(['20 y']);
  });
});

describe('a run that ends early', () => {
  test('by a failure: the other calls are given up', async () => {
    const job = new Job();
    await job.start((env) => env.fromElements('a', 'b', 'c').mapAsync(job.service.ask, { timeout: '1m' }));
    await job.service.refuse('b');
    const failure: unknown = await job.end().catch((error: unknown) => error);
    expect(isRsError(failure, 'RS_USER_FUNCTION_FAILED')).toBe(true);
    expect(letters('abc').map((letter) => job.service.signals.get(letter)?.aborted)).toEqual([
      true,
      false,
      true,
    ]);
    await job.service.answer('a');
    expect(job.output()).toEqual([]);
  });

  test('by cancelling: nothing goes on', async () => {
    const job = new Job();
    await job.start((env) =>
      env
        .fromElements('a', 'b', 'c')
        .mapAsync(job.service.ask, { timeout: '1m', retry: { attempts: 3, delay: '1m', maxDelay: '1h' } }),
    );
    await job.service.answer('b');
    await job.service.refuse('c');
    expect(job.time.pending).toBe(2); // A time-out, and a call that is to be made again.
    job.cancel();
    expect(await job.end()).toBe('cancelled');
    expect(job.service.signals.get('a')?.reason).toMatchObject({ code: 'RS_CLOSED' });
    await job.service.answer('a');
    await job.time.advance(10_000_000);
    expect([job.service.asked, job.output()]).toEqual([letters('abc'), []]);
  });

  test('by cancelling while a live source waits', async () => {
    const job = new Job();
    const source = new LiveSource<string>();
    await job.start((env) => env.addSource(source).mapAsync(job.service.ask, { concurrency: 1 }));
    for (const letter of 'abc') void source.send(letter);
    await settle();
    job.cancel();
    expect(await job.end()).toBe('cancelled');
    expect([job.service.asked, job.service.signals.get('a')?.aborted]).toEqual([['a'], true]);
  });
});
