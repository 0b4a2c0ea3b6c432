import { describe, expect, test } from '@jest/globals';
import { CountTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { WindowRun } from '../../test-support/window-run.ts';

const time = 'processing';

describe('processing-time windows in simulated time', () => {
  test('close when the record after their last millisecond comes, and at the end', () => {
    const run = new WindowRun(TumblingWindow.of(10, { time }));
    run.add('k', 1, 1).add('k', 2, 9);
    expect(run.results()).toEqual([]);
    run.add('k', 3, 10);
    expect(run.output().trace).toEqual(['k [0,10) 1,2@9']);
    run.end();
    expect([run.results(), run.leftovers()]).toEqual([['k [0,10) 1,2', 'k [10,20) 3'], []]);
  });

  test('a record from the past is in the current window; nothing is late', () => {
    const run = new WindowRun(TumblingWindow.of(10, { time }), {
      environment: { windowAllowedLateness: 5 },
    });
    run.add('k', 1, 25).add('k', 2, 3).watermark(1e9).add('k', 3, 4).end();
    expect([run.results(), run.late]).toEqual([['k [20,30) 1,2,3'], []]);
  });

  test('watermarks do not close them', () => {
    const run = new WindowRun(TumblingWindow.of(10, { time }));
    run.add('k', 1, 1).watermark(1e9);
    expect(run.results()).toEqual([]);
  });

  test('sliding and sessions', () => {
    const sliding = new WindowRun(SlidingWindow.of(10, 5, { time }));
    sliding.add('k', 1, 6).add('k', 2, 12).add('k', 3, 20);
    expect(sliding.results()).toEqual(['k [0,10) 1', 'k [5,15) 1,2', 'k [10,20) 2']);
    const sessions = new WindowRun(SessionWindow.withGap(5, { time }));
    sessions.add('k', 1, 0).add('k', 2, 4).add('j', 3, 9).add('k', 4, 9);
    expect(sessions.results()).toEqual(['k [0,9) 1,2']);
    sessions.end();
    expect([sessions.results(), sessions.leftovers()]).toEqual([['j [9,14) 3', 'k [9,14) 4'], []]);
  });

  test('with another trigger', () => {
    const run = new WindowRun(TumblingWindow.of(10, { time }), { trigger: CountTrigger.of(2) });
    run.add('k', 1, 1).add('k', 2, 2).add('k', 3, 3).add('k', 4, 12);
    expect(run.results()).toEqual(['k [0,10) 1,2']);
    expect(run.leftovers().filter((one) => one.startsWith('windows'))).toEqual(['windows k']);
  });
});

describe('processing-time windows on the real clock', () => {
  const clocked = (assigner = TumblingWindow.of(10, { time })) =>
    new WindowRun(assigner, { processingTime: 'clock' });

  test('follow the clock, whatever the records’ timestamps are', () => {
    const run = clocked();
    run.advanceTo(101).add('k', 1, 1e12);
    run.advanceTo(109).add('k', 2, 5);
    expect(run.operator('window').instance.nextProcessingTime?.()).toBe(110);
    expect(run.results()).toEqual([]);
    run.advanceTo(110);
    expect(run.results()).toEqual(['k [100,110) 1,2']);
    run.add('k', 3, 7).end();
    expect([run.results(), run.leftovers()]).toEqual([['k [110,120) 3'], []]);
  });

  test('the driver need not be on time', () => {
    const run = clocked();
    run.advanceTo(101).add('k', 1, 0);
    run.clock.time = 115; // Not told yet.
    run.add('k', 2, 0);
    run.advanceTo(116);
    expect(run.results()).toEqual(['k [100,110) 1']);
    run.advanceTo(120);
    expect(run.results()).toEqual(['k [110,120) 2']);
    expect(run.operator('window').instance.nextProcessingTime?.()).toBe(Infinity);
  });
});
