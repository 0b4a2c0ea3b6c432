import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../test-support/error-of.ts';
import { processing, tell, type TextFunction as Fn } from '../test-support/process-run.ts';

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

  test.each([
    ['registerEventTimeTimer', 'onEventTime', 'onProcessingTime'],
    ['registerProcessingTimeTimer', 'onProcessingTime', 'onEventTime'],
  ] as const)('%s is refused without %s', (method, callback, other) => {
    const processElement: Fn['processElement'] = (_key, _value, ctx) => ctx[method](5);
    const error = errorOf(() => processing({ processElement, [other]: () => undefined }).feed(['k', 0]));
    expect([error.code, error.details]).toEqual(['RS_TIMER_UNHEARD', { operator: "process 'p'", callback }]);
    expect(error.message).toContain(`process 'p': ${method} was called, but the function has no ${callback}`);
    expect(() => processing({ processElement, [callback]: () => undefined }).feed(['k', 0])).not.toThrow();
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

  test('and while the input goes on, when a callback asks for a time that has passed', () => {
    const run = processing({
      processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(1),
      onEventTime: (time, _key, ctx) => ctx.registerEventTimeTimer(time),
    });
    run.feed(['k', 0]);
    expect(errorOf(() => run.watermark(5)).code).toBe('RS_TIMER_LOOP');
  });

  test('but not many timers that each register one more', () => {
    const run = processing({
      processElement: (_key, _value, ctx) => {
        for (let i = 0; i < 600_000; i++) ctx.registerEventTimeTimer(i);
      },
      onEventTime: (time, _key, ctx) => {
        if (time < 600_000) ctx.registerEventTimeTimer(time + 600_000);
      },
    });
    run.feed(['k', 0]).end();
    expect(run.leftovers()).toEqual([]);
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
