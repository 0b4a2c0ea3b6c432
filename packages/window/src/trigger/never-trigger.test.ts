import { describe, expect, test } from '@jest/globals';
import { WindowRun } from '../test-support/window-run.ts';
import { TimeWindow } from '../time-window.ts';
import { NeverTrigger } from './never-trigger.ts';

describe('NeverTrigger', () => {
  test('neither elements nor time fire it, and it asks for no timer', () => {
    const run = new WindowRun(NeverTrigger.create(), new TimeWindow(0, 1000));
    run.element('a', 5).watermark(5000).element('late', 5).clock(5000).end();
    expect(run.answers()).toEqual([]);
    expect([...run.ctx.eventTimers, ...run.ctx.processingTimers]).toEqual([]);
  });

  test('fits merging windows', () => {
    const absorbed = [new WindowRun(NeverTrigger.create(), new TimeWindow(0, 10)).element('a', 0)];
    const run = WindowRun.merged(NeverTrigger.create(), new TimeWindow(0, 15), absorbed);
    expect(run.element('b', 5).end().answers()).toEqual([]);
  });
});
