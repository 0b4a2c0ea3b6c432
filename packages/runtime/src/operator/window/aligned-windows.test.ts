import { describe, expect, test } from '@jest/globals';
import { SlidingWindow, TumblingWindow } from '@rs/window';
import { WindowRun } from '../../test-support/window-run.ts';

describe('tumbling windows', () => {
  test('counts of timestamps 1000, 1500, 2500 by 1000', () => {
    const run = new WindowRun(TumblingWindow.of(1000));
    run.add('k', 1, 1000).add('k', 2, 1500).add('k', 3, 2500).end();
    expect(run.results()).toEqual(['k [1000,2000) 1,2', 'k [2000,3000) 3']);
  });

  test('negative timestamps are in the window that contains them, and no bound is -0', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    for (const time of [-1, -10, -11, 0, 9]) run.add('k', time, time);
    run.end();
    expect(run.results()).toEqual(['k [-20,-10) -11', 'k [-10,0) -1,-10', 'k [0,10) 0,9']);
  });

  test('elements keep the order of their arrival, also where their times do not', () => {
    const run = new WindowRun(TumblingWindow.of(10));
    for (const time of [5, 3, 9, 1]) run.add('k', time, time);
    run.end();
    expect(run.results()).toEqual(['k [0,10) 5,3,9,1']);
  });

  test('an offset moves the bounds', () => {
    const run = new WindowRun(TumblingWindow.of(10, { offset: -3 }));
    run.add('k', 1, 6).add('k', 2, 7).end();
    expect(run.results()).toEqual(['k [-3,7) 1', 'k [7,17) 2']);
  });
});

describe('sliding windows', () => {
  test('a negative timestamp is in all windows that contain it', () => {
    const run = new WindowRun(SlidingWindow.of(10, 3));
    run.add('k', 1, -1).end();
    expect(run.results()).toEqual(['k [-9,1) 1', 'k [-6,4) 1', 'k [-3,7) 1']);
  });

  test('an event every 2 s in windows of 10 s by 5 s', () => {
    const run = new WindowRun(SlidingWindow.of(10_000, 5_000), { keep: 'sum' });
    for (let time = 0; time <= 28_000; time += 2_000) run.add('k', 1, time);
    run.end();
    expect(run.results()).toEqual([
      'k [-5000,5000) 3',
      'k [0,10000) 5',
      'k [5000,15000) 5',
      'k [10000,20000) 5',
      'k [15000,25000) 5',
      'k [20000,30000) 5',
      'k [25000,35000) 2',
    ]);
  });

  test('windows with gaps between them', () => {
    const run = new WindowRun(SlidingWindow.of(3, 10));
    for (const time of [-8, -7, 0, 2, 3, 9, 10]) run.add('k', time, time);
    run.end();
    expect(run.results()).toEqual(['k [-10,-7) -8', 'k [0,3) 0,2', 'k [10,13) 10']);
  });

  test('nothing of a closed window is left while later ones are open', () => {
    const run = new WindowRun(SlidingWindow.of(10, 5));
    run.add('k', 1, 7).watermark(9);
    expect(run.leftovers()).toEqual(['windows k', 'elements k', 'event timer k@14']);
  });
});
