import { describe, expect, test } from '@jest/globals';
import { WatermarkStrategy } from '@rs/watermark';
import { CountTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { JobRun } from '../../test-support/job-run.ts';
import { WindowRun } from '../../test-support/window-run.ts';

const DAY = 86_400_000;

describe('without allowed lateness', () => {
  test('a window takes elements until the watermark reaches its last millisecond', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    run.add('k', 1, 3).watermark(8).add('k', 2, 4).watermark(9).add('k', 3, 5);
    expect(run.results()).toEqual(['k [0,10) 1,2']);
    expect(run.output('late').records).toEqual([['k 3', 5]]);
    expect(run.late).toEqual([
      { operator: 'window-2', key: 'k', value: { key: 'k', n: 3 }, timestamp: 5, watermark: 9 },
    ]);
  });

  test('an element that is late for its older windows only is in the others, and is not late', () => {
    const run = new WindowRun(SlidingWindow.of(10, 5));
    run.add('k', 6, 6).watermark(12).add('k', 8, 8).watermark(39);
    expect(run.results()).toEqual(['k [0,10) 6', 'k [5,15) 6,8']);
    expect([run.late, run.leftovers()]).toEqual([[], []]);
  });

  test('an element in a gap between windows is late for none', () => {
    const run = new WindowRun(SlidingWindow.of(3, 10));
    run.watermark(100).add('k', 1, 5);
    run.end();
    expect([run.results(), run.late, run.output('late').values]).toEqual([[], [], []]);
  });

  test('a session is late when it is after merging, not its element alone', () => {
    const run = new WindowRun(SessionWindow.withGap(5));
    run.add('k', 1, 10).add('k', 2, 14).watermark(14);
    run.add('k', 3, 9); // [9,14) alone would be late; the session it belongs to ends at 19.
    run.add('k', 4, 2); // [2,7) meets no session.
    run.watermark(18);
    expect(run.results()).toEqual(['k [9,19) 1,2,3']);
    expect(run.output('late').values).toEqual(['k 4']);
  });

  test('a late element neither opens a session nor gets into a later one', () => {
    const run = new WindowRun(SessionWindow.withGap(5));
    run.add('k', 1, 100).add('z', 0, 200).watermark(199);
    run.add('k', 2, 3).add('k', 3, 300).end();
    expect(run.results()).toEqual(['k [100,105) 1', 'z [200,205) 0', 'k [300,305) 3']);
    expect(run.late).toHaveLength(1);
  });

  test('late elements are counted one by one: a record from the future makes ten others late', () => {
    const run = new JobRun<number>((input) =>
      input
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forBoundedOutOfOrderness<number>(0).withTimestampAssigner((time: number) => time),
        )
        .keyBy(() => 'k')
        .window(TumblingWindow.of(60_000))
        .count(),
    );
    for (const time of [0, 120_000, DAY]) run.feed([time, 0]);
    for (let i = 0; i < 10; i++) run.feed([180_000 + i * 60_000, 0]);
    expect(run.late).toHaveLength(10);
    run.end();
    expect(run.output().records).toEqual([[1, 59_999], [1, 179_999], [1, DAY + 59_999]]); // prettier-ignore
  });

  test('at the end of the input everything is late', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    run.watermark(Infinity).add('k', 1, 1e15);
    expect([run.late.length, run.leftovers()]).toEqual([1, []]);
  });

  test('before the first watermark nothing is', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    run.add('k', 1, 1e12).add('k', 2, -1e12).end();
    expect([run.results().length, run.late]).toEqual([2, []]);
  });
});

describe('mode refire', () => {
  const refire = () => new WindowRun(TumblingWindow.of(10), { lateness: 5 });

  test('a window fires on time and again for each late element, with all its elements', () => {
    const run = refire();
    run.add('k', 1, 3).watermark(9);
    expect(run.results()).toEqual(['k [0,10) 1']);
    run.add('k', 2, 4).add('k', 3, 5);
    expect(run.results()).toEqual(['k [0,10) 1,2', 'k [0,10) 1,2,3']);
    run.watermark(13).add('k', 4, 6).watermark(14).add('k', 5, 7);
    expect(run.results()).toEqual(['k [0,10) 1,2,3,4']);
    expect(run.output('late').values).toEqual(['k 5']);
    expect(run.leftovers()).toEqual([]);
  });

  test('the end of lateness is no firing', () => {
    const run = refire();
    run.add('k', 1, 3).watermark(9);
    run.results();
    run.watermark(14);
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('nor is the end of the input', () => {
    const run = refire();
    run.add('k', 1, 3).watermark(9).end();
    expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1'], []]);
  });

  test('a watermark that jumps over both fires once', () => {
    const run = refire();
    run.add('k', 1, 3).watermark(100);
    expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1'], []]);
  });

  test('a first element that is late already fires at once', () => {
    const run = refire();
    run.watermark(12).add('k', 1, 3);
    expect(run.results()).toEqual(['k [0,10) 1']);
    run.watermark(14);
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('sliding windows refire one by one', () => {
    const run = new WindowRun(SlidingWindow.of(10, 5), { lateness: 6 });
    run.add('k', 1, 6).watermark(9).add('k', 2, 7);
    expect(run.results()).toEqual(['k [0,10) 1', 'k [0,10) 1,2']);
    run.watermark(14);
    expect(run.results()).toEqual(['k [5,15) 1,2']);
    run.add('k', 3, 8); // [0,10) ends its lateness at 15, [5,15) at 20.
    expect(run.results()).toEqual(['k [5,15) 1,2,3', 'k [0,10) 1,2,3']);
    run.watermark(15).add('k', 4, 9);
    expect(run.results()).toEqual(['k [5,15) 1,2,3,4']);
    run.watermark(20);
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('a session that grows after its firing fires again when it closes anew', () => {
    const run = new WindowRun(SessionWindow.withGap(5), { lateness: 20 });
    run.add('k', 1, 10).watermark(15);
    expect(run.results()).toEqual(['k [10,15) 1']);
    run.add('k', 2, 12); // [10,17) is open again until 16.
    expect(run.results()).toEqual([]);
    run.watermark(16);
    expect(run.results()).toEqual(['k [10,17) 1,2']);
    run.add('k', 3, 8); // Grows to the left: closed all the same, so it fires at once.
    expect(run.results()).toEqual(['k [8,17) 1,2,3']);
    run.watermark(36);
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('what is kept of a window is kept until its lateness ends', () => {
    const run = new WindowRun(TumblingWindow.of(10), { lateness: 5, trigger: CountTrigger.of(2) });
    run.add('k', 1, 3);
    expect(run.leftovers()).toEqual(['windows k', 'trigger.count k', 'elements k', 'event timer k@14']);
    run.watermark(14);
    expect(run.leftovers()).toEqual([]);
  });

  test('contents that a purge took do not come back with a late element', () => {
    const run = new WindowRun(TumblingWindow.of(10), {
      lateness: 5,
      trigger: {
        onElement: (_element, _timestamp, _window, ctx) => {
          ctx.registerEventTimeTimer(ctx.closingTime);
          return ctx.currentWatermark() >= ctx.closingTime ? 'FIRE_AND_PURGE' : 'CONTINUE';
        },
        onEventTime: () => 'FIRE_AND_PURGE',
        onProcessingTime: () => 'CONTINUE',
      },
    });
    run.add('k', 1, 3).watermark(9).add('k', 2, 4).watermark(14);
    expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1', 'k [0,10) 2'], []]);
  });
});

describe('mode postpone', () => {
  const postpone = () => new WindowRun(TumblingWindow.of(10), { lateness: 5, latenessMode: 'postpone' });

  test('a window fires once, when its lateness ends', () => {
    const run = postpone();
    run.add('k', 1, 3).watermark(9).add('k', 2, 4).watermark(13);
    expect(run.results()).toEqual([]);
    run.watermark(14).add('k', 3, 5);
    expect(run.output().trace).toEqual(['w9', 'w13', 'k [0,10) 1,2@9', 'w14']);
    expect([run.output('late').values, run.leftovers()]).toEqual([['k 3'], []]);
  });

  test('the end of the input ends it too', () => {
    const run = postpone();
    run.add('k', 1, 3).watermark(9).end();
    expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1'], []]);
  });

  test('the trigger sees the postponed closing time', () => {
    const closing: number[] = [];
    const run = new WindowRun(TumblingWindow.of(10), {
      lateness: 5,
      latenessMode: 'postpone',
      trigger: {
        onElement: (_element, _timestamp, _window, ctx) => {
          closing.push(ctx.closingTime);
          return 'CONTINUE';
        },
        onEventTime: () => 'CONTINUE',
        onProcessingTime: () => 'CONTINUE',
      },
    });
    run.add('k', 1, 3);
    expect(closing).toEqual([14]);
  });
});

describe('the environment’s defaults', () => {
  test('apply where the stream sets nothing', () => {
    const run = new JobRun<number>((input) => input.keyBy(() => 'k').window(TumblingWindow.of(10)).count(), {
      environment: { windowAllowedLateness: 5, windowLatenessMode: 'postpone' },
    }); // prettier-ignore
    run.feed([1, 3]).watermark(13).feed([1, 4]).watermark(14);
    expect(run.output().trace).toEqual(['w13', '2@9', 'w14']);
  });

  test('are replaced as a whole by allowedLateness', () => {
    const run = new JobRun<number>(
      (input) =>
        input
          .keyBy(() => 'k')
          .window(TumblingWindow.of(10))
          .allowedLateness(2)
          .count(),
      { environment: { windowAllowedLateness: 5, windowLatenessMode: 'postpone' } },
    );
    run.feed([1, 3]).watermark(9).feed([1, 4]).watermark(11).feed([1, 5]);
    expect(run.output().trace).toEqual(['1@9', 'w9', '2@9', 'w11']);
    expect(run.late).toHaveLength(1);
  });
});

describe('the end of time', () => {
  test.each(['refire', 'postpone'] as const)('lateness of a year is no obstacle: %s', (latenessMode) => {
    const run = new WindowRun(TumblingWindow.of(1000), { lateness: 365 * DAY, latenessMode });
    run.add('k', 1, 500).watermark(Infinity);
    expect(run.results()).toEqual(['k [0,1000) 1']);
    expect(run.leftovers()).toEqual([]);
    run.end();
    expect(run.results()).toEqual([]);
  });

  test('the largest date has its window', () => {
    const last = 8_640_000_000_000_000;
    const run = new WindowRun(TumblingWindow.of(1000), { lateness: 365 * DAY });
    run.add('k', 1, last).end();
    expect(run.output().trace).toEqual([`k [${last},${last + 1000}) 1@${last + 999}`, 'end']);
    expect(run.leftovers()).toEqual([]);
  });

  test('a cleanup time beyond 2^53 comes with the end of time', () => {
    const run = new WindowRun(TumblingWindow.of(1000), { lateness: Number.MAX_SAFE_INTEGER });
    run.add('k', 1, 8_640_000_000_000_000).watermark(Number.MAX_SAFE_INTEGER);
    expect(run.results()).toHaveLength(1);
    expect(run.leftovers()).not.toEqual([]);
    run.end();
    expect([run.results(), run.leftovers()]).toEqual([[], []]);
  });

  test('a time that has no exact window is refused, and fails the run whoever catches it', () => {
    for (const assigner of [TumblingWindow.of(1000), SlidingWindow.of(10, 5), SessionWindow.withGap(10)]) {
      const run = new WindowRun(assigner);
      expect(() => run.add('k', 1, Number.MAX_SAFE_INTEGER)).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
      );
      expect([run.task.failed, run.leftovers()]).toEqual([true, []]);
    }
  });
});
