import { describe, expect, test } from '@jest/globals';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { processing, tell, type TextFunction as Fn } from '../test-support/process-run.ts';

describe('timing', () => {
  test('a processing timer one millisecond ahead fires before the next record', () => {
    const run = processing({
      processElement: (_key, value, ctx, out) => {
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 1);
        out.collect(`e${value}`);
      },
      onProcessingTime: (time, _key, _ctx, out) => out.collect(`pt${time}`),
    });
    run.feed(['1', 0], ['2', 1], ['3', 2]).end();
    expect(run.output().values).toEqual(['e1', 'pt1', 'e2', 'pt2', 'e3', 'pt3']);
  });

  test('an event timer fires when the next record has raised the watermark, before that record', () => {
    const run = new JobRun<string>((input) =>
      input
        .assignTimestampsAndWatermarks(() => new AscendingTimestampWatermarkGenerator<string>())
        .keyBy(() => 'k')
        .process<string>({
          processElement: (_key, value, ctx, out) => {
            if (value === '1') ctx.registerEventTimeTimer(15);
            out.collect(`e${value} w${ctx.currentWatermark()}`);
          },
          onEventTime: (time, _key, _ctx, out) => out.collect(`et${time}`),
        }),
    );
    run.feed(['1', 10], ['2', 20]);
    expect(run.output().values).toEqual(['e1 w9', 'et15', 'e2 w19']);
    expect(run.output().trace).toEqual(['w9', 'e1 w9@10', 'et15@15', 'w19', 'e2 w19@20']);
  });

  test('a time already passed is due at once, after the element', () => {
    const run = processing({
      ...tell,
      processElement: (_key, value, ctx, out) => {
        ctx.registerEventTimeTimer(5);
        ctx.registerProcessingTimeTimer(3);
        out.collect(value);
        out.collect('still the element');
      },
    });
    run.watermark(5).feed(['k', 9]);
    expect(run.output().trace).toEqual(['w5', 'k@9', 'still the element@9', 'pt3 k n3@3', 'et5 k w5@5']);
  });

  test('processing timers come before event timers, each kind in the order of time, key', () => {
    const run = processing({
      ...tell,
      processElement: (key, value, ctx) => {
        for (const time of value.split(':').slice(1).map(Number)) {
          ctx.registerEventTimeTimer(time);
          ctx.registerProcessingTimeTimer(time + (key === 'a' ? 1 : 0));
        }
      },
    });
    run.feed(['b:20:30', 0], ['a:30:20', 1], ['c:20', 2]);
    expect(run.output().values).toEqual([]);
    run.end();
    expect(run.output().values.map((value) => String(value).split(' ').slice(0, 2).join(' '))).toEqual([
      'pt20 b', 'pt20 c', 'pt21 a', 'pt30 b', 'pt31 a',
      'et20 a', 'et20 b', 'et20 c', 'et30 a', 'et30 b',
    ]); // prettier-ignore
  });

  test('while a timer runs its time is the event time and, for a processing timer, the current time', () => {
    const seen: unknown[] = [];
    const note: NonNullable<Fn['onEventTime']> = (time, key, ctx) =>
      void seen.push([
        time,
        key,
        ctx.key,
        ctx.currentEventTime(),
        ctx.currentProcessingTime(),
        ctx.currentWatermark(),
      ]);
    const run = processing({
      processElement: (key, _value, ctx) => {
        ctx.registerProcessingTimeTimer(25);
        ctx.registerEventTimeTimer(12);
        seen.push([
          key,
          ctx.key,
          ctx.currentEventTime(),
          ctx.currentProcessingTime(),
          ctx.currentWatermark(),
        ]);
      },
      onEventTime: note,
      onProcessingTime: note,
    });
    run.feed(['k', 20]).watermark(13).feed(['other', 40]);
    expect(seen).toEqual([
      ['k', 'k', 20, 20, -Infinity],
      [12, 'k', 'k', 12, 20, 13],
      [25, 'k', 'k', 25, 25, 13],
      ['other', 'other', 40, 40, 13],
      [25, 'other', 'other', 25, 25, 13],
      [12, 'other', 'other', 12, 40, 13],
    ]);
  });

  test('simulated time never goes back', () => {
    const run = processing({
      processElement: (_key, _value, ctx, out) => out.collect(String(ctx.currentProcessingTime())),
    });
    run.feed(['k', 10], ['k', 5], ['k', 12]);
    expect(run.output().records).toEqual([['10', 10], ['10', 5], ['12', 12]]); // prettier-ignore
  });

  test('at the end all processing timers fire, then all event timers, however far ahead', () => {
    const run = processing({
      ...tell,
      processElement: (_key, _value, ctx) => {
        ctx.registerEventTimeTimer(1e12);
        ctx.registerProcessingTimeTimer(1e14);
      },
    });
    run.feed(['k', 0]).end();
    expect(run.output().trace).toEqual([
      'pt100000000000000 k n100000000000000@100000000000000',
      'et1000000000000 k wInfinity@1000000000000',
      'end',
    ]);
    expect(run.leftovers()).toEqual([]);
  });

  test('results come before the watermark that made them due', () => {
    const run = processing({
      ...tell,
      processElement: (_key, _value, ctx) => {
        ctx.registerEventTimeTimer(5);
        ctx.registerEventTimeTimer(8);
      },
    });
    run.feed(['k', 0]).watermark(5).watermark(9);
    expect(run.output().trace).toEqual(['et5 k w5@5', 'w5', 'et8 k w9@8', 'w9']);
  });
});

describe('the real clock', () => {
  const clocked = (fn: Fn) => processing(fn, { processingTime: 'clock' });

  test('decides on processing time, whatever the records’ timestamps are', () => {
    const run = clocked({
      ...tell,
      processElement: (_key, value, ctx, out) => {
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 50);
        out.collect(`${value} n${ctx.currentProcessingTime()}`);
      },
    });
    run.advanceTo(1000).feed(['k', 1e12], ['k', 2e12]);
    run.advanceTo(1049).advanceTo(1050);
    expect(run.output().trace).toEqual([
      'k n1000@1000000000000',
      'k n1000@2000000000000',
      'pt1050 k n1050@1050',
    ]);
  });

  test('a callback sees the time of its timer, though the clock is further', () => {
    const run = clocked({
      ...tell,
      processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(10),
    });
    run.feed(['k', 0]).advanceTo(500);
    expect(run.output().values).toEqual(['pt10 k n10']);
    expect(run.operator('process').instance.nextProcessingTime?.()).toBe(Infinity);
  });
});

describe('failures', () => {
  test.each<[string, Partial<Fn>]>([
    ['processElement', {}],
    ['onEventTime', { processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(5) }],
    ['onProcessingTime', { processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(5) }],
    ['open', { processElement: () => undefined }],
  ])('of %s name the operator and keep the cause', (name, fn) => {
    const cause = new RangeError('boom');
    const failing = () => {
      throw cause;
    };
    const error = errorOf(() =>
      processing({ processElement: failing, ...fn, [name]: failing })
        .feed(['k', 0])
        .watermark(9)
        .end(),
    );
    expect([error.code, error.message]).toEqual(['RS_USER_FUNCTION_FAILED', "process 'p' failed: boom"]);
    expect(error.cause).toBe(cause);
  });

  test('an async open is refused, and its rejection does not surface by itself', async () => {
    const open = async (): Promise<void> => {
      throw new Error('late');
    };
    const error = errorOf(() => processing({ processElement: () => undefined, open }));
    expect([error.code, error.message]).toEqual([
      'RS_ASYNC_NOT_ALLOWED',
      expect.stringMatching(/^open of process 'p'/),
    ]);
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('an error from further down passes with its own name, also through a callback that catches it', () => {
    const caught: unknown[] = [];
    const run = new JobRun<number>((input) =>
      input
        .keyBy(() => 'k')
        .process<number>((_key, value, _ctx, out) => {
          try {
            out.collect(value);
          } catch (error) {
            caught.push(error);
          }
        })
        .map(
          () => {
            throw new Error('boom');
          },
          { name: 'next' },
        ),
    );
    expect(errorOf(() => run.feed([1, 0])).message).toBe("map 'next' failed: boom");
    expect(caught).toHaveLength(1);
  });
});

test('a function may say that a record is late', () => {
  const run = new JobRun<string>((input) =>
    input
      .keyBy((value) => value.slice(0, 1))
      .process<string>(
        (_key, value, ctx) => {
          if (ctx.currentEventTime() <= ctx.currentWatermark()) ctx.reportLate({ value });
        },
        { uid: 'mine' },
      ),
  );
  run.watermark(5).feed(['a1', 6], ['b1', 5], ['b2', 7]);
  expect(run.late).toEqual([
    { operator: 'mine', key: 'b', value: { value: 'b1' }, timestamp: 5, watermark: 5 },
  ]);
});
