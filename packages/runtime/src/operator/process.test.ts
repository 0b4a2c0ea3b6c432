import { describe, expect, test } from '@jest/globals';
import type { KeyedProcessFunction } from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun, type JobRunOptions } from '../test-support/job-run.ts';

type Fn = KeyedProcessFunction<string, string, string>;

/** Records are texts; what stands before a colon is the key. */
function processing(fn: Fn, options?: JobRunOptions) {
  return new JobRun<string>(
    (input) => input.keyBy((text) => text.split(':')[0] ?? '').process(fn, { name: 'p' }),
    options,
  );
}

/** Callbacks that only say that they were called. */
const tell: Pick<Fn, 'onEventTime' | 'onProcessingTime'> = {
  onEventTime: (time, key, ctx, out) => out.collect(`et${time} ${key} w${ctx.currentWatermark()}`),
  onProcessingTime: (time, key, ctx, out) => out.collect(`pt${time} ${key} n${ctx.currentProcessingTime()}`),
};

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

describe('timers', () => {
  test('one per key, time and kind', () => {
    const run = processing({
      ...tell,
      processElement: (_key, _value, ctx) => {
        for (let i = 0; i < 3; i++) {
          ctx.registerEventTimeTimer(5);
          ctx.registerProcessingTimeTimer(5);
        }
      },
    });
    run.feed(['a', 0], ['a', 1], ['b', 2]).end();
    expect(run.output().values).toEqual(['pt5 a n5', 'pt5 b n5', 'et5 a wInfinity', 'et5 b wInfinity']);
  });

  test('can be registered again once they have fired', () => {
    const run = processing({ ...tell, processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(5) });
    run.feed(['k', 0]).watermark(5).feed(['k', 1]);
    expect(run.output().trace).toEqual(['et5 k w5@5', 'w5', 'et5 k w5@5']);
  });

  test('can be deleted: those of the own key, time and kind; others stay', () => {
    const run = processing({
      ...tell,
      processElement: (_key, value, ctx) => {
        if (value.endsWith('delete')) {
          ctx.deleteEventTimeTimer(5);
          ctx.deleteProcessingTimeTimer(6);
          ctx.deleteEventTimeTimer(99);
          return;
        }
        for (const time of [5, 6]) {
          ctx.registerEventTimeTimer(time);
          ctx.registerProcessingTimeTimer(time);
        }
      },
    });
    run.feed(['a', 0], ['b', 1], ['a:delete', 2]).end();
    expect(run.output().values).toEqual([
      'pt5 a n5', 'pt5 b n5', 'pt6 b n6',
      'et5 b wInfinity', 'et6 a wInfinity', 'et6 b wInfinity',
    ]); // prettier-ignore
  });

  test('a callback may delete one that is due as well, and register one that is', () => {
    const run = processing({
      processElement: (_key, _value, ctx) => [5, 6, 7].forEach((time) => ctx.registerEventTimeTimer(time)),
      onEventTime: (time, _key, ctx, out) => {
        out.collect(`et${time}`);
        if (time === 5) ctx.deleteEventTimeTimer(6);
        if (time === 5) ctx.registerEventTimeTimer(4);
        if (time === 7) ctx.registerEventTimeTimer(8);
      },
    });
    run.feed(['k', 0]).watermark(7);
    expect(run.output().values).toEqual(['et5', 'et4', 'et7']);
    run.watermark(8);
    expect(run.output().trace).toEqual(['et5@5', 'et4@4', 'et7@7', 'w7', 'et8@8', 'w8']);
  });

  test('cascade over both kinds before the record goes on', () => {
    const run = processing({
      processElement: (_key, value, ctx, out) => {
        out.collect(value);
        if (value === 'k:first') ctx.registerEventTimeTimer(1);
      },
      onEventTime: (time, _key, ctx, out) => {
        out.collect(`et${time}`);
        ctx.registerProcessingTimeTimer(time + 1);
      },
      onProcessingTime: (time, _key, ctx, out) => {
        out.collect(`pt${time}`);
        if (time < 7) ctx.registerEventTimeTimer(time + 1);
      },
    });
    run.feed(['k:first', 10]).watermark(4);
    expect(run.output().values).toEqual(['k:first', 'et1', 'pt2', 'et3', 'pt4']);
    run.end();
    expect(run.output().values.slice(5)).toEqual(['et5', 'pt6', 'et7', 'pt8']);
    expect(run.leftovers()).toEqual([]);
  });

  test.each([[NaN], [Infinity], [1.5], ['5'], [undefined]])('%p is no time', (bad) => {
    for (const kind of ['registerEventTimeTimer', 'registerProcessingTimeTimer'] as const) {
      const run = processing({ processElement: (_key, _value, ctx) => ctx[kind](bad as never) });
      expect(errorOf(() => run.feed(['k', 0])).code).toBe('RS_INVALID_TIMESTAMP');
      expect(run.leftovers()).toEqual([]);
    }
  });

  test('without callbacks they are consumed silently', () => {
    const run = processing({
      processElement: (_key, _value, ctx) => {
        ctx.registerEventTimeTimer(5);
        ctx.registerProcessingTimeTimer(5);
      },
    });
    run.feed(['k', 0]).end();
    expect([run.output().trace, run.leftovers()]).toEqual([['end'], []]);
  });
});

describe('a timer that always registers the next one', () => {
  const endless: Fn = {
    processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(1),
    onEventTime: (time, _key, ctx) => ctx.registerEventTimeTimer(time + 1),
  };

  test('fires up to the watermark while the input goes on', () => {
    const run = processing({ ...endless, onEventTime: (time, key, ctx, out) => {
      out.collect(`${time}`);
      void endless.onEventTime?.(time, key, ctx, out);
    } }); // prettier-ignore
    run.feed(['k', 0]).watermark(3);
    expect(run.output().values).toEqual(['1', '2', '3']);
    expect(run.leftovers()).toEqual(['event timer k@4']);
  });

  test('fails the run at the end instead of running for ever', () => {
    const run = processing(endless);
    run.feed(['k', 0]);
    const error = errorOf(() => run.end());
    expect([error.code, error.details]).toEqual(['RS_TIMER_LOOP', { operator: "process 'p'" }]);
  });

  test('so it does when an idle source has been flushed', () => {
    const run = processing(endless);
    run.feed(['k', 0]);
    expect(errorOf(() => run.watermark(Infinity)).code).toBe('RS_TIMER_LOOP');
  });

  test('also when its callback catches the error', () => {
    const run = processing({
      processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(1),
      onProcessingTime: (time, _key, ctx) => {
        try {
          ctx.registerProcessingTimeTimer(time + 1);
        } catch {
          // Must not keep it going.
        }
      },
    });
    run.feed(['k', 0]);
    expect(errorOf(() => run.end()).code).toBe('RS_TIMER_LOOP');
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
