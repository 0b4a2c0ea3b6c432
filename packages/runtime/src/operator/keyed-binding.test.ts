import { describe, expect, test } from '@jest/globals';
import {
  type KeyedProcessFunction,
  listState,
  type StateDescriptor,
  valueState,
  type ValueState,
} from '@rs/core';
import { ChainedJob } from '../driver/chained.ts';
import type { SourceNode } from '../graph/node.ts';
import { planTopology } from '../graph/topology.ts';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { newTask } from '../test-support/new-task.ts';
import { Recorder } from '../test-support/recorder.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const COUNT = valueState('count', { default: () => 0 });

function increment(count: ValueState<number>): number {
  count.update(count.value() + 1);
  return count.value();
}

describe('a state declared on a keyed stream', () => {
  test('is that of the current key, in all callbacks behind the keyBy', () => {
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      const count = keyed.getState(COUNT);
      return keyed
        .map((text) => `${text}${increment(count)}`)
        .map((text) => `${text},${increment(count)}`)
        .process<string>({
          processElement: (_key, text, ctx, out) => {
            out.collect(`${text},${increment(count)},${increment(ctx.state(COUNT))}`);
            ctx.registerEventTimeTimer(5);
          },
          onEventTime: (_time, key, _ctx, out) => out.collect(`timer of ${key}: ${count.value()}`),
        });
    });
    run.feed(['a', 0], ['b', 1], ['a', 2]).watermark(5);
    expect(run.output().values).toEqual([
      'a1,2,3,4',
      'b1,2,3,4',
      'a5,6,7,8',
      'timer of a: 8',
      'timer of b: 4',
    ]);
  });

  test('declared twice by one descriptor is one state', () => {
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      const [first, second] = [keyed.getState(COUNT), keyed.getState(COUNT)];
      return keyed
        .map((text) => `${text}${increment(first)}${increment(second)}`)
        .process<string>((_k, v, _c, out) => out.collect(v));
    });
    expect(run.feed(['a', 0], ['a', 1]).output().values).toEqual(['a12', 'a34']);
  });

  test('of another keyBy is another one, though name and descriptor are the same', () => {
    const run = new JobRun<string>((input) => {
      const outer = input.keyBy((text) => text.length);
      const byLength = outer.getState(COUNT);
      const inner = outer.process<string>((_key, text, _ctx, out) => {
        increment(byLength);
        out.collect(`${text}${byLength.value()}`);
        out.collect(`${text}again${byLength.value()}`); // The inner stream has run in between.
      });
      const second = inner.keyBy((text) => text[0]);
      const byLetter = second.getState(COUNT);
      return second
        .map((text) => `${text}/${increment(byLetter)}`)
        .process<string>((_k, v, _c, out) => out.collect(v));
    });
    run.feed(['aa', 0], ['b', 1], ['ab', 2]);
    expect(run.output().values).toEqual(['aa1/1', 'aaagain1/2', 'b1/1', 'bagain1/2', 'ab2/3', 'abagain2/4']);
  });

  test('its store is per run: another run begins empty', () => {
    const define = (input: Parameters<ConstructorParameters<typeof JobRun<string>>[0]>[0]) => {
      const keyed = input.keyBy((text) => text);
      const count = keyed.getState(COUNT);
      return keyed.map(() => increment(count)).process<number>((_k, v, _c, out) => out.collect(v));
    };
    for (let i = 0; i < 2; i++)
      expect(new JobRun<string>(define).feed(['a', 0]).output().values).toEqual([1]);
  });

  test.each<[string, (count: ValueState<number>, later: (step: () => void) => void) => unknown]>([
    ['when the job is declared', (count) => count.value()],
    ['after the callback', (count, later) => later(() => count.update(1))],
  ])('throws RS_STATE_UNBOUND when it is used %s', (_when, use) => {
    const later: (() => void)[] = [];
    const declare = () =>
      new JobRun<string>((input) => {
        const keyed = input.keyBy((text) => text);
        const count = keyed.getState(COUNT);
        use(count, (step) => later.push(step));
        return keyed
          .map((text) => `${text}${increment(count)}`)
          .process<string>((_k, v, _c, out) => out.collect(v));
      });
    const error = errorOf(() => {
      declare().feed(['a', 0]);
      later.forEach((step) => step());
    });
    expect([error.code, error.details]).toEqual(['RS_STATE_UNBOUND', { state: 'count' }]);
  });

  test('throws RS_STATE_UNBOUND after the first await of an async callback', async () => {
    const run = new JobRun<string>(
      (input) => {
        const keyed = input.keyBy((text) => text);
        const count = keyed.getState(COUNT);
        return keyed.process<number>(async (_key, _value, _ctx, out) => {
          out.collect(increment(count));
          await Promise.resolve();
          out.collect(increment(count));
        });
      },
      { mode: 'async' },
    );
    run.feed(['a', 0]);
    await expect(run.settled()).rejects.toMatchObject({ code: 'RS_STATE_UNBOUND' });
    expect(run.output().values).toEqual([1]);
  });

  test('a callback that throws leaves no key behind', () => {
    let count: ValueState<number> | undefined;
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      count = keyed.getState(COUNT);
      return keyed.process<string>(() => {
        throw new Error('boom');
      });
    });
    expect(() => run.feed(['a', 0])).toThrow('boom');
    expect(errorOf(() => count?.value()).code).toBe('RS_STATE_UNBOUND');
  });
});

describe('a state declared in open', () => {
  test('belongs to its operation: two of one name are two states', () => {
    const counting = (prefix: string) => {
      let count: ValueState<number>;
      return {
        open: (ctx: { state(descriptor: typeof COUNT): ValueState<number> }) => {
          count = ctx.state(COUNT);
        },
        processElement: (
          _key: string,
          text: string,
          ctx: { state(d: typeof COUNT): ValueState<number> },
          out: { collect(v: string): void },
        ) => out.collect(`${prefix}${text}${increment(count)}${increment(ctx.state(COUNT))}`),
      };
    };
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      return { x: keyed.process(counting('x')), y: keyed.process(counting('y'), { uid: 'y' }) };
    });
    run.feed(['a', 0], ['b', 1], ['a', 2]);
    expect(run.output('x').values).toEqual(['xa12', 'xb12', 'xa34']);
    expect(run.output('y').values).toEqual(['ya12', 'yb12', 'ya34']);
    const owners = run.slots().map(({ operator, state }) => `${operator} ${state}`);
    expect(owners.sort()).toEqual(['process-2 count', 'y count']);
  });

  test('ctx.state means the operation’s own, where the keyed stream has declared the same descriptor', () => {
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      const shared = keyed.getState(COUNT);
      let own: ValueState<number>;
      return keyed
        .map((text) => {
          increment(shared);
          return text;
        })
        .process<string>({
          open: (ctx) => {
            own = ctx.state(COUNT);
          },
          processElement: (_key, _text, ctx, out) => {
            own.update(own.value() + 10);
            out.collect(`${shared.value()} ${ctx.state(COUNT).value()}`);
          },
        });
    });
    run.feed(['a', 0], ['a', 1]);
    expect(run.output().values).toEqual(['1 10', '2 20']);
  });

  test('may be made anew in each open, as on another partition or in another run', () => {
    const env = new TestEnvironment();
    env
      .input<string>()
      .keyBy((text) => text)
      .process<string>({
        open: (ctx) => void ctx.state(valueState('count', { default: () => 0 })),
        processElement: () => undefined,
      })
      .addSink(() => undefined);
    const graph = env.graph();
    for (let partition = 0; partition < 3; partition++) {
      const start = () =>
        new ChainedJob(
          planTopology(graph, () => 1),
          newTask(),
          () => new Recorder(),
        );
      expect(start).not.toThrow();
    }
  });

  test('and each of these descriptors means it', () => {
    const made: StateDescriptor[] = [];
    const counting: KeyedProcessFunction<string, string, string> = {
      open: (ctx) => {
        const descriptor = valueState('count', { default: () => 0 });
        made.push(descriptor);
        ctx.state(descriptor);
      },
      processElement: (_key, _text, ctx, out) =>
        out.collect(made.map((descriptor) => increment(ctx.state(descriptor) as ValueState<number>)).join()),
    };
    const env = new TestEnvironment();
    env.input<string>().keyBy((text) => text).process(counting).addSink(() => undefined); // prettier-ignore
    const graph = env.graph();
    const recorders = [new Recorder(), new Recorder()];
    const topology = planTopology(graph, () => 1);
    const jobs = recorders.map((recorder) => new ChainedJob(topology, newTask(), () => recorder));
    for (const job of jobs) job.head(graph.nodes[0] as SourceNode, 0).record('a', 0, undefined);
    expect(recorders.map(({ values }) => values)).toEqual([['1,2'], ['1,2']]);
  });

  test('two descriptors of one name are refused when the job starts', () => {
    const start = () =>
      new JobRun<string>((input) =>
        input
          .keyBy((text) => text)
          .process<string>({
            open: (ctx) => {
              ctx.state(COUNT);
              ctx.state(listState('count'));
            },
            processElement: () => undefined,
          }),
      );
    expect(errorOf(start).code).toBe('RS_INVALID_ARGUMENT');
  });
});

describe('a state that was not declared', () => {
  test('is an error that names it', () => {
    const run = new JobRun<string>((input) =>
      input.keyBy((text) => text).process<string>((_key, _value, ctx) => void ctx.state(COUNT)),
    );
    const error = errorOf(() => run.feed(['a', 0]));
    expect([error.code, error.details]).toEqual([
      'RS_STATE_UNDECLARED',
      { state: 'count', operator: 'process' },
    ]);
  });

  test('another descriptor of the same name is not the declared one', () => {
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      keyed.getState(COUNT);
      return keyed.process<string>((_key, _value, ctx) => void ctx.state(valueState<number>('count')));
    });
    const error = errorOf(() => run.feed(['a', 0]));
    expect(error.code).toBe('RS_STATE_UNDECLARED');
    expect(error.message).toContain("state 'count' was declared by another descriptor of that name");
  });

  test('nor is it when the descriptors are made anew in open and for each element', () => {
    const run = new JobRun<string>((input) =>
      input
        .keyBy((text) => text)
        .process<string>({
          open: (ctx) => void ctx.state(valueState<number>('count')),
          processElement: (_key, _value, ctx) => void ctx.state(valueState<number>('count')),
        }),
    );
    expect(errorOf(() => run.feed(['a', 0])).message).toContain('use that very object');
  });

  test('that another operation declared in open is not this one’s', () => {
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      return {
        declares: keyed.process<string>({
          open: (ctx) => void ctx.state(COUNT),
          processElement: () => undefined,
        }),
        asks: keyed.process<string>((_key, _value, ctx) => void ctx.state(COUNT)),
      };
    });
    const error = errorOf(() => run.feed(['a', 0]));
    expect(error.code).toBe('RS_STATE_UNDECLARED');
    expect(error.message).toContain("state 'count' was not declared");
  });
});
