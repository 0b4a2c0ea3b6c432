import { describe, expect, test } from '@jest/globals';
import { outputTag, RsError } from '@rs/core';
import { Pattern, type PatternLike } from '../pattern/pattern.ts';
import { KeyedHarness } from '../test-support/keyed-harness.ts';
import { is, letter, shown } from '../test-support/letters.ts';
import type { KeyedMatch, KeyedPartialMatch, PatternProcessOptions } from './options.ts';
import { PatternProcessFunction } from './pattern-process-function.ts';

type Letters = PatternLike<string, object>;
type Options = PatternProcessOptions<string, string, object>;

const ab = letter('a').followedBy('b', is('b'));
/** `c2 b2` has to wait while `a1` may still become a match, which would come first. */
const sameNumber = Pattern.of<string>()
  .begin('first', (event) => event.startsWith('a') || event.startsWith('c'))
  .followedBy('b', (event, context) => event === `b${context.last('first')?.slice(1) ?? ''}`)
  .skipToNext();
const late = outputTag<string>('late');
const timedOutOutput = outputTag<KeyedPartialMatch<string, string, object>>('timed-out');
const failedOutput = outputTag<string>('failed');
const droppedOutput = outputTag<KeyedPartialMatch<string, string, object>>('dropped');

function find(pattern: Letters, options: Options = {}): PatternProcessFunction<string, string, object> {
  const outputs = { lateOutput: late, timedOutOutput, droppedOutput, failedOutput };
  return new PatternProcessFunction(pattern, { ...outputs, ...options });
}

function run(pattern: Letters, options: Options = {}) {
  return new KeyedHarness<string, KeyedMatch<string, string, object>>(find(pattern, options));
}

function inProcessingTime(pattern: Letters, options: Options = {}) {
  const fn = new PatternProcessFunction(pattern, { time: 'processing', timedOutOutput, ...options });
  return new KeyedHarness<string, KeyedMatch<string, string, object>>(fn);
}

/** `k{a b}@5` for each match that came since the last call. */
function matches(harness: KeyedHarness<string, KeyedMatch<string, string, object>>): string[] {
  return harness.results.splice(0).map(({ key, timestamp, value }) => `${key}${shown(value)}@${timestamp}`);
}

function output(harness: KeyedHarness<string, unknown>, tag: { readonly name: string }): string[] {
  return (harness.outputs.get(tag.name) ?? []).map(({ value, timestamp }) =>
    typeof value === 'string'
      ? `${value}@${timestamp}`
      : `${shown(value as KeyedPartialMatch<string, string, object>)}@${timestamp}`,
  );
}

describe('event time', () => {
  test('events wait for the watermark, and are processed in the order of their times', () => {
    const harness = run(ab);
    harness.element('k', 'b', 3);
    harness.element('k', 'a', 1);
    harness.advance(2);
    expect(matches(harness)).toEqual([]);
    harness.advance(3);
    expect(matches(harness)).toEqual(['k{a b}@3']);
    harness.element('k', 'b', 2);
    harness.element('k', 'b2', 3);
    harness.advance(9);
    expect(matches(harness)).toEqual([]);
    expect(output(harness, late)).toEqual(['b@2', 'b2@3']);
    expect(harness.late).toEqual(['b', 'b2']);
  });

  test('keys do not meet', () => {
    const harness = run(ab);
    harness.element('k', 'a', 1);
    harness.element('l', 'b', 2);
    harness.element('l', 'a', 3);
    harness.element('k', 'b', 4);
    harness.advance(10);
    expect(matches(harness)).toEqual(['k{a b}@4']);
  });

  test('events of one time are in the order of their arrival, or in one that is given', () => {
    const pattern = Pattern.of<string>().begin('x').next('y').skipPastLastEvent();
    for (const [options, expected] of [
      [{}, 'k{3 1}@5 k{2 9}@5'],
      [{ order: (a: string, b: string) => Number(a) - Number(b) }, 'k{1 2}@5 k{3 9}@5'],
    ] as const) {
      const harness = run(pattern, options);
      for (const event of ['3', '1', '2', '9']) {
        harness.element('k', event, 5);
        harness.forget();
      }
      harness.advance(5);
      expect(matches(harness).join(' ')).toBe(expected);
    }
  });

  test('what is late goes nowhere without an output for it', () => {
    const harness = new KeyedHarness(new PatternProcessFunction<string, string, object>(ab));
    harness.advance(5);
    harness.element('k', 'a', 5);
    expect(harness.state()).toEqual({});
    expect(harness.outputs.size).toBe(0);
    expect(harness.late).toEqual(['a']);
  });

  test('silence is noticed: a partial match times out with the end of its time', () => {
    const harness = run(ab.within(10));
    harness.element('k', 'a', 0);
    harness.advance(9);
    expect(output(harness, timedOutOutput)).toEqual([]);
    harness.advance(10);
    expect(output(harness, timedOutOutput)).toEqual(['{a}@10']);
    expect(harness.state()).toEqual({});
    expect(harness.outputs.get('timed-out')).toMatchObject([
      { key: 'k', value: { key: 'k', start: 0, end: 0, timestamp: 10, events: { a: ['a'], b: [] } } },
    ]);
  });

  test('a forbidden event that does not come is a match', () => {
    const pattern = letter('a').notFollowedBy(is('b')).within(10);
    const harness = run(pattern);
    harness.element('k', 'a', 0);
    harness.element('l', 'a', 1);
    harness.element('l', 'b', 5);
    harness.element('m', 'a', 2);
    harness.element('m', 'b', 12);
    harness.advance(9);
    expect(matches(harness)).toEqual([]);
    harness.advance(20);
    expect(matches(harness)).toEqual(['k{a}@10', 'm{a}@12']);
    expect(harness.state()).toEqual({});
  });

  test('a time that never ends needs no timer', () => {
    const harness = run(ab.within(Number.MAX_SAFE_INTEGER));
    harness.element('k', 'a', 1_700_000_000_000);
    harness.element('k', 'b', 1_700_000_000_001);
    harness.advance(1_700_000_000_001);
    expect(harness.results).toHaveLength(1);
  });

  test('a jump of the watermark takes one step after the other', () => {
    const harness = run(ab.within(10));
    harness.element('k', 'a1', 0);
    harness.element('k', 'a2', 8);
    harness.element('k', 'b', 10);
    harness.advance(1_000);
    expect(matches(harness)).toEqual(['k{a2 b}@10']);
    expect(output(harness, timedOutOutput)).toEqual(['{a1}@10']);
    expect(harness.timers('event')).toEqual([]);
  });

  test('timers that nobody needs any more do not fire', () => {
    const harness = run(ab.within(10));
    harness.element('k', 'a', 0);
    harness.element('k', 'b', 1);
    harness.element('k', 'a', 100);
    harness.advance(50);
    expect(harness.fired).toEqual([0, 1]);
    harness.element('k', 'x', 110);
    harness.element('k', 'b', 105);
    harness.advance(105);
    // The deadline of a@100 was 110, which the event x needs still.
    expect(harness.timers('event')).toEqual([110]);
    harness.advance(Infinity);
    expect(matches(harness)).toEqual(['k{a b}@1', 'k{a b}@105']);
    expect(harness.state()).toEqual({});
  });

  test('the end of the input releases matches that waited', () => {
    const harness = run(letter('a').followedBy('b', is('b')).oneOrMore().skipPastLastEvent());
    for (const [time, event] of ['a1', 'a2', 'b', 'x'].entries()) harness.element('k', event, time);
    harness.advance(100);
    expect(matches(harness)).toEqual(['k{a1 b}@2']);

    const held = run(sameNumber);
    for (const [time, event] of ['a1', 'c2', 'b2'].entries()) held.element('k', event, time);
    held.advance(100);
    expect(matches(held)).toEqual([]);
    held.advance(Infinity);
    expect(matches(held)).toEqual([`k{c2 b2}@${8.64e15}`]);
    expect(held.state()).toEqual({});
  });

  test('a match that waits for another is told once, also after a restart', () => {
    const harness = run(sameNumber);
    for (const [time, event] of ['a1', 'c2', 'b2', 'b1'].entries()) {
      harness.element('k', event, time);
      harness.advance(time);
      if (event === 'b2') expect(matches(harness)).toEqual([]);
      harness.restart(find(sameNumber));
    }
    expect(matches(harness)).toEqual(['k{a1 b1}@3', 'k{c2 b2}@3']);
    // Nothing waits for the end of the input any more.
    expect(harness.timers('event')).toEqual([]);
    harness.advance(Infinity);
    expect(matches(harness)).toEqual([]);
  });
});

describe('processing time', () => {
  test('events are processed as they arrive, at the time of the clock', () => {
    const harness = inProcessingTime(ab.within(10));
    harness.tick(100);
    harness.element('k', 'a', 7);
    harness.tick(109);
    harness.element('k', 'b', 3);
    expect(harness.results).toMatchObject([{ value: { start: 100, end: 109, timestamp: 109 } }]);
    harness.element('k', 'a', 1);
    harness.tick(118);
    expect(output(harness, timedOutOutput)).toEqual([]);
    harness.tick(119);
    expect(output(harness, timedOutOutput)).toEqual(['{a}@119']);
    expect(harness.timers('processing')).toEqual([]);
    harness.element('k', 'a', 1);
    expect(harness.timers('processing')).toEqual([129]);
    harness.element('k', 'b', 1);
    expect(harness.timers('processing')).toEqual([]);
  });

  test('a clock that goes back makes nothing late', () => {
    const harness = inProcessingTime(ab.within(10));
    harness.now = 100;
    harness.element('k', 'a', 0);
    harness.now = 50;
    harness.element('k', 'b', 0);
    expect(harness.results).toMatchObject([{ value: { start: 100, end: 100 } }]);
    harness.restart(new PatternProcessFunction(ab.within(10), { time: 'processing' }));
    harness.now = 100;
    harness.element('k', 'a', 0);
    harness.restart(new PatternProcessFunction(ab.within(10), { time: 'processing' }));
    harness.now = 40;
    harness.element('k', 'b', 0);
    expect(harness.results).toHaveLength(2);
  });
});

describe('state', () => {
  test('is empty where nothing has begun', () => {
    const harness = run(ab);
    harness.element('k', 'x', 1);
    harness.advance(1);
    expect(harness.state()).toEqual({});
    harness.element('k', 'a', 2);
    harness.advance(2);
    expect(Object.keys(harness.state())).toEqual(['k/cep.head', 'k/cep.events', 'k/cep.runs']);
    harness.element('k', 'b', 3);
    harness.advance(3);
    expect(harness.state()).toEqual({});
  });

  test('goes on in another process', () => {
    const pattern = letter('c').followedBy('a', is('a')).oneOrMore().followedBy('b', is('b'));
    const harness = run(pattern);
    for (const [time, event] of ['c', 'a1', 'x', 'a2'].entries()) {
      harness.element('k', event, time);
      if (time % 2 === 1) harness.advance(time);
      harness.restart(find(pattern));
    }
    harness.element('k', 'b', 9);
    harness.advance(9);
    expect(matches(harness)).toEqual(['k{c a1 a2 b}@9', 'k{c a1 b}@9']);
  });

  test('what follows directly is decided once, whatever is committed, and by whom', () => {
    const pattern = letter('a').notNext(is('b')).followedBy('c', is('c'));
    const harness = run(pattern);
    for (const [time, event] of ['a', 'x', 'b', 'c'].entries()) {
      harness.element('k', event, time);
      harness.advance(time);
      harness.restart(find(pattern));
    }
    expect(matches(harness)).toEqual(['k{a c}@3']);
  });

  test('of which a part has expired begins anew', () => {
    const harness = run(ab);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.expire('k/cep.events');
    harness.element('k', 'b', 2);
    harness.element('k', 'a2', 3);
    harness.element('k', 'b2', 4);
    harness.advance(4);
    expect(matches(harness)).toEqual(['k{a2 b2}@4']);
  });

  test('an undone batch leaves no trace, whatever is in memory', () => {
    const harness = run(ab);
    harness.element('k', 'a1', 1);
    harness.advance(1);
    harness.commit();
    harness.element('k', 'a2', 2);
    harness.advance(2);
    harness.undo();
    harness.element('k', 'b', 3);
    harness.advance(3);
    expect(matches(harness)).toEqual(['k{a1 b}@3']);
  });

  test('is read again only for keys that were not used for long', () => {
    for (const [maxTrackedKeys, found] of [
      [1, ['l{a b}@2']],
      [2, ['k{a b}@2', 'l{a b}@2']],
    ] as const) {
      const harness = run(ab, { maxTrackedKeys });
      for (const key of ['k', 'l']) harness.element(key, 'a', 1);
      harness.advance(1);
      // Whoever reads this again finds that a part has expired.
      harness.lose('k/cep.events');
      for (const key of ['k', 'l']) harness.element(key, 'b', 2);
      harness.advance(2);
      expect(matches(harness)).toEqual(found);
    }
  });

  test('only a few keys are kept ready, and all are right', () => {
    const harness = run(ab, { maxTrackedKeys: 1 });
    for (const key of ['k', 'l', 'm']) harness.element(key, 'a', 1);
    harness.advance(1);
    for (const key of ['k', 'l', 'm']) harness.element(key, 'b', 2);
    harness.advance(2);
    expect(matches(harness)).toEqual(['k{a b}@2', 'l{a b}@2', 'm{a b}@2']);
  });

  test('a match does not hold more than one way into memory: events are stored once', () => {
    const harness = run(letter('a').oneOrMore().followedBy('b', is('b')));
    for (const [time, event] of ['a1', 'a2', 'a3'].entries()) harness.element('k', event, time);
    harness.advance(2);
    expect(harness.state()['k/cep.events']).toEqual({
      map: [
        ['0', 'a1'],
        ['1', 'a2'],
        ['2', 'a3'],
      ],
    });
  });
});

describe('a changed pattern', () => {
  const changed = letter('a').followedByAny('b', is('b'));

  function begun() {
    const harness = run(ab);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.element('k', 'b', 2);
    return harness;
  }

  test('is refused', () => {
    const harness = begun();
    harness.restart(find(changed));
    expect(() => harness.advance(2)).toThrow(
      expect.objectContaining({ code: 'RS_PATTERN_MISMATCH', message: expect.stringContaining('uid') }),
    );
  });

  test('gives up what has begun, but no event that waits', () => {
    const harness = begun();
    harness.restart(find(changed, { onPatternChange: 'clear' }));
    harness.advance(2);
    expect(harness.state()).toEqual({});
    harness.element('k', 'a2', 3);
    harness.element('k', 'b2', 4);
    harness.advance(4);
    expect(matches(harness)).toEqual(['k{a2 b2}@4']);
  });

  test('goes on as if it were the same', () => {
    const harness = begun();
    harness.restart(find(changed, { onPatternChange: 'ignore' }));
    harness.advance(2);
    expect(matches(harness)).toEqual(['k{a b}@2']);
  });

  test.each([
    ['longer', 10, 20, 20],
    ['shorter', 20, 10, 20],
  ])('with a %s time, silence is noticed still', (_, before, after, noticed) => {
    const harness = run(ab.within(before));
    harness.element('k', 'a', 0);
    harness.advance(1);
    harness.restart(find(ab.within(after), { onPatternChange: 'ignore' }));
    harness.advance(1_000);
    expect(output(harness, timedOutOutput)).toEqual([`{a}@${noticed}`]);
    expect([harness.state(), harness.timers('event')]).toEqual([{}, []]);
  });

  test('is the same from then on', () => {
    const harness = begun();
    harness.restart(find(changed, { onPatternChange: 'ignore' }));
    harness.element('k', 'x', 2);
    harness.advance(2);
    harness.restart(find(changed));
    harness.element('k', 'b2', 3);
    harness.advance(3);
    expect(matches(harness)).toEqual(['k{a b}@2', 'k{a b2}@3']);
  });
});

describe('what fails', () => {
  const failing = Pattern.of<string>()
    .begin('a', (event) => {
      if (event === 'bad') throw new Error('bad event');
      return event.startsWith('a');
    })
    .followedBy('b', is('b'));

  test('what an attempt has done that failed is not done', () => {
    let fails = true;
    const pattern = letter('a').followedBy('b', (event) => {
      if (event === 'b2' && fails) throw new RsError('RS_UNSUPPORTED', 'not now');
      return event.startsWith('b');
    });
    const harness = run(pattern);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.commit();
    for (const event of ['b1', 'a2', 'b2']) harness.element('k', event, 2);
    harness.commit();
    expect(() => harness.advance(2)).toThrow();
    harness.undo();
    fails = false;
    harness.advance(2);
    expect(matches(harness)).toEqual(['k{a b1}@2', 'k{a2 b2}@2']);
  });

  test('a condition names itself; the event can be tried again', () => {
    const harness = run(failing);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.commit();
    harness.element('k', 'b', 2);
    harness.element('k', 'bad', 2);
    harness.commit();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => harness.advance(2)).toThrow(
        expect.objectContaining({
          code: 'RS_USER_FUNCTION_FAILED',
          message: "pattern: condition of stage 'a' failed: bad event",
        }),
      );
      harness.undo();
    }
    expect(matches(harness)).toEqual([]);
  });

  test('the key goes on when the engine gives the timer up, and the event goes to its output', () => {
    const harness = run(failing);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.element('k', 'bad', 2);
    harness.element('k', 'a2', 2);
    harness.element('k', 'b', 3);
    harness.commit();
    expect(() => harness.advance(2)).toThrow();
    harness.undo();
    harness.giveUpFirstTimer();
    expect(output(harness, failedOutput)).toEqual(['bad@2']);
    harness.forget();
    harness.advance(3);
    // The others of that time took part.
    expect(matches(harness)).toEqual(['k{a b}@3', 'k{a2 b}@3']);
    expect(harness.state()).toEqual({});
  });

  test('nothing is left of a key that has nothing but an event that failed', () => {
    const harness = run(failing);
    harness.element('k', 'bad', 2);
    harness.commit();
    expect(() => harness.advance(2)).toThrow();
    harness.undo();
    harness.giveUpFirstTimer();
    expect([harness.state(), harness.timers('event')]).toEqual([{}, []]);
  });

  test('a match that cannot be handed out does not come back with later timers', () => {
    for (const time of ['event', 'processing'] as const) {
      const pattern = letter('a').notFollowedBy(is('b')).within(10);
      const options = time === 'event' ? { lateOutput: late } : {};
      const harness = new KeyedHarness<string, KeyedMatch<string, string, object>>(
        new PatternProcessFunction(pattern, { time, ...options }),
      );
      const go = (to: number): void => (time === 'event' ? harness.advance(to) : harness.tick(to));
      harness.element('k', 'a1', 0);
      go(0);
      harness.commit();
      harness.giveUpFirstTimer(time);
      go(25);
      harness.element('k', 'a2', 30);
      go(45);
      expect(matches(harness).map((text) => text.slice(0, 5))).toEqual(['k{a2}']);
      expect([harness.state(), harness.timers(time)]).toEqual([{}, []]);
    }
  });

  test('matches that the end of the input releases can be given up too', () => {
    const harness = run(sameNumber);
    for (const [time, event] of ['a1', 'c2', 'b2'].entries()) harness.element('k', event, time);
    harness.advance(100);
    harness.commit();
    harness.giveUpFirstTimer();
    expect([harness.state(), matches(harness)]).toEqual([{}, []]);
  });

  test('a match without the stage to skip to, at a deadline: the timer is given up, and the key goes on', () => {
    const pattern = letter('a')
      .next('b', is('b'))
      .optional()
      .next('c', is('c'))
      .notFollowedBy(is('d'))
      .within(10)
      .skipToFirst('b', { throwOnMiss: true });
    const harness = run(pattern);
    harness.element('k', 'a', 0);
    harness.element('k', 'c', 1);
    harness.advance(1);
    harness.commit();
    expect(() => harness.advance(10)).toThrow(expect.objectContaining({ code: 'RS_PATTERN_SKIP_MISSED' }));
    harness.undo();
    harness.giveUpFirstTimer();
    for (const [i, event] of ['a', 'b', 'c'].entries()) harness.element('k', event, 20 + i);
    harness.advance(40);
    expect(matches(harness)).toEqual(['k{a b c}@30']);
    expect(harness.state()).toEqual({});
  });

  test('a timer of a key with state of another pattern: its events are told, the state is left alone', () => {
    const harness = run(ab);
    harness.element('k', 'a', 1);
    harness.advance(1);
    harness.element('k', 'b', 2);
    const before = harness.state()['k/cep.head'];
    harness.restart(find(letter('a').followedByAny('b', is('b'))));
    expect(() => harness.advance(2)).toThrow(expect.objectContaining({ code: 'RS_PATTERN_MISMATCH' }));
    harness.undo();
    harness.giveUpFirstTimer();
    expect(output(harness, failedOutput)).toEqual(['b@2']);
    expect(harness.state()['k/cep.head']).toEqual(before);
  });

  test('limits: the event fails, or the oldest run is given up', () => {
    const strict = run(ab, { maxRuns: 1 });
    strict.element('k', 'a1', 1);
    strict.element('k', 'a2', 2);
    expect(() => strict.advance(2)).toThrow(expect.objectContaining({ code: 'RS_PATTERN_LIMIT' }));
    const lenient = run(ab, { maxRuns: 1, onLimit: 'drop-oldest' });
    for (const [time, event] of ['a1', 'a2', 'b'].entries()) lenient.element('k', event, time);
    lenient.advance(2);
    expect(matches(lenient)).toEqual(['k{a2 b}@2']);
    expect(output(lenient, droppedOutput)).toEqual(['{a1}@1']);
  });
});

describe('options that cannot be', () => {
  test.each<[string, unknown, RegExp]>([
    ['no object', 5, /options must be an object/],
    ['time', { time: 'ingestion' }, /time must be 'event' or 'processing', got ingestion/],
    ['order', { order: 1 }, /order must be a function/],
    ['codec', { codec: {} }, /codec must be an object with encode and decode/],
    ['maxTrackedKeys', { maxTrackedKeys: 0 }, /maxTrackedKeys must be a whole number of 1 or more, got 0/],
    ['maxRuns', { maxRuns: -1 }, /PatternProcessFunction: maxRuns/],
    ['onPatternChange', { onPatternChange: 'keep' }, /onPatternChange must be 'fail' or 'clear' or 'ignore'/],
    ['lateOutput', { lateOutput: 'late' }, /lateOutput must be a tag made by outputTag/],
    ['late in processing time', { time: 'processing', lateOutput: late }, /are for event time/],
  ])('%s', (_, options, message) => {
    expect(() => new PatternProcessFunction(ab, options as object)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });

  test('a pattern that would wait for ever', () => {
    expect(() => new PatternProcessFunction(letter('a').notFollowedBy(is('b')))).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_PATTERN' }),
    );
    expect(() => new PatternProcessFunction({} as never)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });
});
