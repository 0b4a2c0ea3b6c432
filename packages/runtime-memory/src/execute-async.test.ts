import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment, valueState } from '@rs/core';
import { type ExecuteOptions, StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { Deferred } from './test-support/deferred.ts';
import { LiveSource } from './test-support/live-source.ts';
import { settle } from './test-support/settle.ts';

const newEnv = (eager = true) => StreamExecutionEnvironment.getExecutionEnvironment({ eager });
const later = <T>(value: T) => Promise.resolve(value);

describe('a job', () => {
  test('runs to the end and says how it ended', async () => {
    const out: number[] = [];
    const job = defineJob((env) => env.fromElements(1, 2).addSink((v) => void out.push(v)));
    const result = await newEnv().executeAsync(job);
    expect(out).toEqual([1, 2]);
    expect(result).toEqual({ status: 'finished', metrics: { lateRecords: 0, lateRecordsByOperator: {} } });
  });

  test('serves several sinks in one pass: what they share runs once', async () => {
    const log: string[] = [];
    const job = defineJob((env) => {
      const doubled = env.fromElements(1, 2).map((v) => {
        log.push(`map ${v}`);
        return 2 * v;
      });
      doubled.addSink((v) => void log.push(`a${v}`)).addSink((v) => void log.push(`b${v}`));
    });
    await newEnv().executeAsync(job);
    expect(log).toEqual(['map 1', 'a2', 'b2', 'map 2', 'a4', 'b4']);
  });

  test('two sinks on one process() see identical results', async () => {
    const [first, second]: string[][] = [[], []];
    const job = defineJob((env) => {
      const keyed = env.fromElements('a', 'b', 'a').keyBy((v) => v);
      const count = keyed.getState(valueState('count', { default: () => 0 }));
      keyed
        .process<string>((key, _value, _ctx, out) => {
          count.update(count.value() + 1);
          out.collect(`${key}:${count.value()}`);
        })
        .addSink((v) => void first?.push(v))
        .addSink((v) => void second?.push(v));
    });
    await newEnv().executeAsync(job);
    expect(first).toEqual(['a:1', 'b:1', 'a:2']);
    expect(second).toEqual(first);
  });

  test('can be run again and again, each time anew, also at the same time', async () => {
    let definitions = 0;
    const out: number[] = [];
    const job = defineJob((env) => {
      definitions += 1;
      env
        .fromElements(1, 2)
        .map(later)
        .keyBy(() => 'k')
        .sum()
        .addSink((v) => void out.push(Number(v)));
    });
    const env = newEnv();
    await env.executeAsync(job);
    expect(out.splice(0)).toEqual([1, 3]);
    await Promise.all([env.executeAsync(job), env.executeAsync(job)]);
    expect(out.splice(0).sort()).toEqual([1, 1, 3, 3]);
    expect(definitions).toBe(3);
  });

  test('has an environment that keeps all sinks, and is closed once the job is declared', async () => {
    const environments: StreamEnvironment[] = [];
    const out: number[] = [];
    const job = defineJob((env) => {
      environments.push(env);
      env.fromElements(1).addSink((v) => void out.push(v));
      expect(out).toEqual([]);
    });
    await newEnv().executeAsync(job);
    expect(out).toEqual([1]);
    expect(() => environments[0]?.fromElements(2).addSink(() => undefined)).toThrow(
      coded('RS_ALREADY_EXECUTED'),
    );
  });

  test('without a sink, with an error in its definition, or with an asynchronous one, is refused', async () => {
    const env = newEnv();
    const noSink = defineJob((streams) => streams.fromElements(1).map((v) => v));
    const broken = defineJob(() => {
      throw new Error('not configured');
    });
    await expect(env.executeAsync(noSink)).rejects.toEqual(coded('RS_NO_SINK'));
    await expect(env.executeAsync(broken)).rejects.toThrow('not configured');
    const asynchronous = defineJob(async (streams) => {
      await settle();
      streams.fromElements(1).addSink(() => undefined);
    });
    await expect(env.executeAsync(asynchronous)).rejects.toEqual(coded('RS_ASYNC_NOT_ALLOWED'));
  });

  test.each([5, 'job', null, () => undefined])('%p is no job', async (job) => {
    await expect(newEnv().executeAsync(job as never)).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
  });

  test.each([5, null, 'abort', {}])('the signal %p is none', async (signal) => {
    const job = defineJob((env) => env.fromElements(1).addSink(() => undefined));
    const options = { signal } as ExecuteOptions;
    await expect(newEnv().executeAsync(job, options)).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
  });
});

describe('the sinks of an environment', () => {
  test('are kept where it is not eager, and run in one pass', async () => {
    const out: string[] = [];
    const env = newEnv(false);
    const numbers = env.fromElements(1, 2);
    numbers.addSink((v) => void out.push(`a${v}`));
    numbers.addSink((v) => void out.push(`b${v}`));
    expect(out).toEqual([]);
    await env.executeAsync();
    expect(out).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('are kept by an eager one where only executeAsync can run them', async () => {
    const out: unknown[] = [];
    const env = newEnv();
    async function* letters() {
      yield* 'ab';
    }
    env.fromAsyncIterable(letters()).addSink((v) => void out.push(v));
    env.fromElements(1).addSink((v) => void out.push(v));
    expect(out).toEqual([1]);
    await env.executeAsync();
    expect(out).toEqual([1, 'a', 'b']);
  });

  test('run once', async () => {
    const out: number[] = [];
    const env = newEnv(false);
    env.fromElements(1).addSink((v) => void out.push(v));
    const first = env.executeAsync();
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_ALREADY_EXECUTED'));
    await first;
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_ALREADY_EXECUTED'));
    expect(out).toEqual([1]);
  });

  test('cannot be attached any more afterwards, but a job still runs', async () => {
    const env = newEnv(false);
    const stream = env.fromElements(1);
    stream.addSink(() => undefined);
    await env.executeAsync();
    expect(() => stream.addSink(() => undefined)).toThrow(coded('RS_ALREADY_EXECUTED'));
    expect(() => stream.print()).toThrow(coded('RS_ALREADY_EXECUTED'));
    const job = defineJob((streams) => streams.fromElements(2).addSink(() => undefined));
    await expect(env.executeAsync(job)).resolves.toMatchObject({ status: 'finished' });
  });

  test('must be there; an environment that had none can still be given some', async () => {
    const env = newEnv(false);
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_NO_SINK'));
    env.fromElements(1).addSink(() => undefined);
    await expect(env.executeAsync()).resolves.toMatchObject({ status: 'finished' });
  });

  test('must be there also in an eager environment, whose message says where they went', async () => {
    const env = newEnv();
    env.fromElements(1).addSink(() => undefined);
    await expect(env.executeAsync()).rejects.toThrow(/each ran when it was attached/);
  });

  test('with one uid twice are refused', async () => {
    const env = newEnv(false);
    env.fromElements(1).addSink(() => undefined, { uid: 'out' });
    env.fromElements(2).addSink(() => undefined, { uid: 'out' });
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_DUPLICATE_UID'));
  });
});

describe('failures', () => {
  test('one branch fails: the others get no further record, and all are closed', async () => {
    const log: string[] = [];
    const job = defineJob((env) => {
      const numbers = env.fromElements(1, 2, 3);
      numbers.addSink({ invoke: (v) => void log.push(`a${v}`), close: () => void log.push('close a') });
      numbers.addSink({
        invoke: async (v) => {
          await settle();
          if (v === 2) throw new Error('full');
          log.push(`b${v}`);
        },
        close: () => void log.push('close b'),
      });
    });
    await expect(newEnv().executeAsync(job)).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(log).toEqual(['a1', 'b1', 'a2', 'close b', 'close a']);
  });

  test('one source fails: the other is cancelled and closed', async () => {
    const log: string[] = [];
    const failing = new LiveSource<number>();
    const job = defineJob((env) => {
      env.addSource(failing, { name: 'failing' }).addSink((v) => void log.push(`got ${v}`));
      env
        .addSource<number>({
          run: (ctx) =>
            new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(undefined))),
          cancel: () => void log.push('cancel'),
          close: () => void log.push('close'),
        })
        .addSink(() => undefined);
    });
    const running = newEnv().executeAsync(job);
    await settle();
    void failing.send(1);
    const cause = new Error('connection lost');
    failing.fail(cause);
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    await expect(running).rejects.toThrow("source 'failing' failed: connection lost");
    expect(log).toEqual(['got 1', 'cancel', 'close']);
  });

  test('what a source sent before it failed is processed, also what was waiting', async () => {
    const out: number[] = [];
    const source = new LiveSource<number>();
    const gate = new Deferred();
    const job = defineJob((env) =>
      env.addSource(source).addSink(async (v) => {
        await gate.promise;
        out.push(v);
      }),
    );
    const running = newEnv().executeAsync(job);
    await settle();
    for (const v of [1, 2, 3]) void source.send(v);
    source.fail(new Error('gone'));
    await settle();
    expect(out).toEqual([]);
    gate.resolve();
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED'));
    expect(out).toEqual([1, 2, 3]);
  });

  test('the first failure counts', async () => {
    const job = defineJob((env) => {
      const numbers = env.fromElements(1);
      numbers.addSink(() => Promise.reject(new Error('first')));
      numbers.addSink(() => settle().then(() => Promise.reject(new Error('second'))));
    });
    await expect(newEnv().executeAsync(job)).rejects.toThrow('first');
    await settle(); // The second rejection harms nobody.
  });

  test('a failing asynchronous open: nothing runs, what was opened is closed', async () => {
    const log: string[] = [];
    const job = defineJob((env) =>
      env
        .addSource<number>({ run: () => void log.push('run'), close: () => void log.push('close source') })
        .addSink({
          open: () => Promise.reject(new Error('refused')),
          invoke: () => undefined,
          close: () => void log.push('close sink'),
        }),
    );
    await expect(newEnv().executeAsync(job)).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(log).toEqual(['close sink']);
  });
});

test('opens are awaited: sinks before sources, records after both; then sources close before sinks', async () => {
  const log: string[] = [];
  const slowly = (what: string) => async () => {
    await settle();
    log.push(what);
  };
  const job = defineJob((env) =>
    env
      .addSource<number>({
        open: slowly('open source'),
        run: (ctx) => void ctx.collect(1),
        close: slowly('close source'),
      })
      .addSink({ open: slowly('open sink'), invoke: slowly('invoke'), close: slowly('close sink') }),
  );
  await newEnv().executeAsync(job);
  expect(log).toEqual(['open sink', 'open source', 'invoke', 'close source', 'close sink']);
});
