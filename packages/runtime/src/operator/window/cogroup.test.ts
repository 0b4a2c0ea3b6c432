import { describe, expect, test } from '@jest/globals';
import { type CogroupedStreams, type CogroupedWindows, outputTag, RsError, type Trigger } from '@rs/core';
import { CountWindow, SessionWindow, TumblingWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import type { AnyStream, JobRunOptions } from '../../test-support/job-run.ts';
import { TwoInputRun } from '../../test-support/two-inputs.ts';

type Cogrouped = CogroupedStreams<string, string, number>;
type Windows = CogroupedWindows<string, string, number>;

/** Texts with a key before the colon, and numbers, all of the key `a`. */
function cogrouped(
  define: (both: Cogrouped) => AnyStream | Readonly<Record<string, AnyStream>>,
  options?: JobRunOptions,
) {
  return new TwoInputRun<string, number>(
    (left, right) => define(left.keyBy((text) => text.split(':')[0] ?? '').cogroup(right.keyBy(() => 'a'))),
    options,
  );
}

/** Results such as `a [0,10) a:x|1,2`. */
const told = (windows: Windows) =>
  windows.apply<string>((key, { start, end }, lefts, rights, out) =>
    out.collect(`${key} [${start},${end}) ${lefts.join()}|${rights.join()}`),
  );

const tumbling = (both: Cogrouped) => both.window(TumblingWindow.of(10));

describe('a window of two inputs', () => {
  test('holds the elements of both, each side in the order of arrival, and fires by the minimum of their time', () => {
    const run = cogrouped((both) => told(tumbling(both)));
    run.one('a:x', 5).two(2, 3).two(1, 9).one('a:y', 1);
    run.left.watermark(9);
    expect(run.trace()).toEqual([]);
    run.right.watermark(12);
    expect(run.trace()).toEqual(['a [0,10) a:x,a:y|2,1@9', 'w9']);
  });

  test('fires also for keys that have elements on one side only', () => {
    const run = cogrouped((both) => told(tumbling(both)));
    run.two(1, 12).one('b:x', 3).two(2, 3);
    run.left.end();
    run.right.end();
    expect(run.trace()).toEqual(['a [0,10) |2@9', 'b [0,10) b:x|@9', 'a [10,20) |1@19', 'end']);
    expect(run.leftovers()).toEqual([]);
  });

  test('can be a session, to which elements of both sides belong', () => {
    const run = cogrouped((both) => told(both.window(SessionWindow.withGap(5))));
    run.one('a:1', 0).one('a:2', 8).two(3, 4);
    run.left.end();
    run.right.end();
    expect(run.output().values).toEqual(['a [0,13) a:1,a:2|3']);
  });

  test('of a count counts both sides, and keeps its evictor', () => {
    const run = cogrouped((both) => told(both.window(CountWindow.of(3))));
    run.one('a:1', 0).two(2, 1).two(3, 2).one('a:4', 3);
    expect(run.output().values.map((text) => String(text).split(') ')[1])).toEqual(['a:1|2,3']);
  });

  test('may fire again for late elements; later ones go to the side output, as they are', () => {
    const late = outputTag<string | number>('late');
    const run = cogrouped((both) => {
      const main = told(tumbling(both).allowedLateness(5).sideOutputLateData(late));
      return { main, late: main.getSideOutput(late) };
    });
    run.one('a:1', 0);
    run.left.watermark(9);
    run.right.watermark(9);
    run.two(2, 1);
    run.left.watermark(14);
    run.right.watermark(14);
    run.two(3, 2).one('a:4', 3);
    expect(run.output().values).toEqual(['a [0,10) a:1|', 'a [0,10) a:1|2']);
    expect(run.output('late').records).toEqual([[3, 2], ['a:4', 3]]); // prettier-ignore
    expect(run.late.map(({ value, key }) => [value, key])).toEqual([[3, 'a'], ['a:4', 'a']]); // prettier-ignore
  });

  test('takes what the environment says of lateness', () => {
    const run = cogrouped((both) => told(tumbling(both)), {
      environment: { windowAllowedLateness: 5, windowLatenessMode: 'postpone' },
    });
    run.one('a:1', 0);
    run.left.watermark(13);
    run.right.watermark(13);
    expect(run.output().values).toEqual([]);
    run.left.watermark(14);
    run.right.watermark(14);
    expect(run.output().values).toEqual(['a [0,10) a:1|']);
  });

  test('hands out a context with process: time and side outputs', () => {
    const side = outputTag<string>('side');
    const run = cogrouped((both) => {
      const main = tumbling(both).process<string>((key, _window, lefts, rights, ctx, out) => {
        ctx.output(side, `${ctx.key} ${ctx.currentEventTime()} ${ctx.currentWatermark()}`);
        out.collect(`${key} ${lefts.length}:${rights.length}`);
      });
      return { main, side: main.getSideOutput(side) };
    });
    run.one('a:1', 0).two(1, 1).two(2, 2);
    run.left.watermark(11);
    run.right.watermark(10);
    expect([run.output().records, run.output('side').records]).toEqual([[['a 1:2', 9]], [['a 9 10', 9]]]);
  });

  test('may be processed asynchronously', async () => {
    const run = cogrouped(
      (both) =>
        tumbling(both).apply<string>(async (key, _window, lefts, rights, out) => {
          await Promise.resolve();
          out.collect(`${key} ${lefts.length}:${rights.length}`);
        }),
      { mode: 'async' },
    );
    run.one('a:1', 0).two(1, 1);
    run.left.end();
    run.right.end();
    await run.settled();
    expect(run.trace()).toEqual(['a 1:1@9', 'end']);
  });

  test('is also a window of connected streams', () => {
    const run = new TwoInputRun<string, number>((left, right) =>
      told(
        left
          .keyBy(() => 'a')
          .connect(right.keyBy(() => 'a'))
          .window(TumblingWindow.of(10)),
      ),
    );
    run.one('x', 0).two(1, 1);
    run.left.end();
    run.right.end();
    expect(run.output().values).toEqual(['a [0,10) x|1']);
  });

  test('fails with the name of the operation', () => {
    const run = cogrouped((both) =>
      tumbling(both).apply(() => {
        throw new Error('boom');
      }),
    );
    run.one('a:1', 0);
    run.left.end();
    expect(errorOf(() => run.right.end()).message).toBe("window 'cogroup' failed: boom");
  });
});

describe('what users give to it sees elements, not how they are kept', () => {
  test('a trigger, with all of its callbacks', () => {
    const seen: unknown[] = [];
    const trigger: Trigger<string | number> = {
      onElement: (element, timestamp, window, ctx) => {
        seen.push([element, timestamp, window.start]);
        ctx.registerEventTimeTimer(ctx.closingTime);
        ctx.registerProcessingTimeTimer(7);
        return element === 2 ? 'FIRE' : 'CONTINUE';
      },
      onEventTime: (time) => (seen.push(`et ${time}`), 'FIRE_AND_PURGE'),
      onProcessingTime: (time) => (seen.push(`pt ${time}`), 'CONTINUE'),
      onMerge: (merged, absorbed) =>
        void seen.push(`merge ${absorbed.length} → [${merged.start},${merged.end})`),
      clear: (window) => void seen.push(`clear ${window.start}`),
    };
    const run = cogrouped((both) => told(both.window(SessionWindow.withGap(5)).trigger(trigger)));
    run.one('a:1', 0).two(2, 4);
    run.left.watermark(20);
    run.right.watermark(20);
    expect(run.output().values).toEqual(['a [0,9) a:1|2', 'a [0,9) a:1|2']);
    expect(seen).toEqual([['a:1', 0, 0], 'merge 1 → [0,9)', [2, 4, 0], 'et 8', 'clear 0']);
  });

  test('an evictor, in the order of arrival of both sides', () => {
    const seen: unknown[] = [];
    const run = cogrouped((both) =>
      told(
        tumbling(both).evictor({
          evictBefore: (elements) => {
            seen.push(elements.map(({ value, timestamp }) => [value, timestamp]));
            return elements.filter(({ value }) => value !== 2);
          },
          evictAfter: (elements) => {
            seen.push(elements.map(({ value }) => value));
            return elements;
          },
          describe: () => 'test',
        }),
      ),
    );
    run.two(1, 3).one('a:x', 2).two(2, 4);
    run.left.end();
    run.right.end();
    expect(run.output().values).toEqual(['a [0,10) a:x|1']);
    expect(seen).toEqual([[[1, 3], ['a:x', 2], [2, 4]], [1, 'a:x']]); // prettier-ignore
  });

  test('an evictor that leaves nothing makes no result', () => {
    const run = cogrouped((both) =>
      told(tumbling(both).evictor({ evictBefore: () => [], describe: () => 'everything' })),
    );
    run.two(1, 3);
    run.left.end();
    run.right.end();
    expect(run.trace()).toEqual(['end']);
  });

  test('an evictor that returns what it was not given is refused, since nobody knows its side', () => {
    const run = cogrouped((both) =>
      told(
        tumbling(both).evictor({
          evictBefore: (elements) => elements.map((element) => ({ ...element })),
          describe: () => 'copies',
        }),
      ),
    );
    run.two(1, 3);
    run.left.end();
    expect(errorOf(() => run.right.end()).code).toBe('RS_INVALID_VALUE');
  });

  test('the codecs of the two sides', () => {
    const refusing = (side: string, bad: unknown) => ({
      name: side,
      encode: (value: unknown) => {
        if (value === bad) throw new RsError('RS_INVALID_VALUE', `${side} refuses ${String(value)}`);
        return String(value);
      },
      decode: (data: string | Uint8Array) => data as never,
    });
    const define = (both: Cogrouped) =>
      tumbling(both).apply(() => undefined, {
        leftCodec: refusing('left', 'a:1'),
        rightCodec: refusing('right', 2),
      });
    expect(() => cogrouped(define).one('a:2', 0).two(1, 0)).not.toThrow();
    expect(errorOf(() => cogrouped(define).one('a:1', 0)).message).toMatch(/left refuses a:1/);
    expect(errorOf(() => cogrouped(define).two(2, 0)).message).toMatch(/right refuses 2/);
  });
});
