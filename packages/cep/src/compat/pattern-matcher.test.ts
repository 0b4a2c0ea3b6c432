import { describe, expect, test } from '@jest/globals';
import { PatternBuilder } from './pattern-builder.ts';
import { PATTERN_CONFIG_DEFAULTS, type PatternConfig } from './pattern-config.ts';
import { PatternMatcher } from './pattern-matcher.ts';
import { Pattern } from './pattern.ts';

const pattern = Pattern.of((event: string) => event.startsWith('a'));

function matcher(
  config: Partial<PatternConfig<string>> = {},
  maxActiveSequences?: number,
): PatternMatcher<string> {
  return new PatternMatcher({ pattern, ...config }, maxActiveSequences);
}

describe('matches', () => {
  test('are sequences of one event', () => {
    const [match, ...others] = matcher().process('a1', 7);
    expect(match?.toJSON()).toEqual({ events: ['a1'], startTime: 7, endTime: 7 });
    expect(others).toEqual([]);
    expect(matcher().process('b1', 7)).toEqual([]);
  });

  test('have the time of the clock when none is given', () => {
    const withClock = new PatternMatcher({ pattern }, 0, { now: () => 42 });
    expect(withClock.process('a1')[0]?.startTime).toBe(42);
  });

  test('are those of all conditions of a builder', () => {
    const config = new PatternBuilder<string>()
      .where(pattern)
      .where(Pattern.of((event) => event.endsWith('1')))
      .withTimeWindow('1s');
    const built = new PatternMatcher(config);
    expect(['a1', 'a2', 'b1'].map((event) => built.process(event, 1).length)).toEqual([1, 0, 0]);
  });

  test('a condition that throws leaves everything as it was', () => {
    const failing = new PatternMatcher({
      pattern: Pattern.of((event: string) => {
        if (event === 'bad') throw new RangeError('bad');
        return true;
      }),
      timeWindow: 10,
      allowEventReuse: true,
    });
    failing.process('a', 0);
    expect(() => failing.process('bad', 100)).toThrow(RangeError);
    expect(failing.activeSequenceCount).toBe(2);
  });
});

describe('active sequences', () => {
  const reused = { allowEventReuse: true } as const;

  function counts(tracked: PatternMatcher<string>, events: string): number[] {
    return events.split(' ').map((word, at) => {
      const [event = '', time] = word.split('@');
      tracked.process(event, time === undefined ? at : Number(time));
      return tracked.activeSequenceCount;
    });
  }

  test.each<[string, Partial<PatternConfig<string>>, string, number[]]>([
    ['without reuse there are none', {}, 'a1 a2', [0, 0]],
    ['with each match they double, and two', reused, 'a1 a2 a3 a4', [2, 6, 14, 30]],
    ['other events leave them', reused, 'a1 b1 a2', [2, 2, 6]],
    ['contiguous, other events end them', { ...reused, contiguous: true }, 'a1 b1 a2', [2, 0, 2]],
    [
      'the window counts from the first event, inclusive',
      { ...reused, timeWindow: 10 },
      'a1@0 b1@10 b2@11',
      [2, 2, 0],
    ],
    ['what is over is gone before the match', { ...reused, timeWindow: 10 }, 'a1@0 a2@11', [2, 2]],
    ['they grow to the longest length', { ...reused, maxSequenceLength: 2 }, 'a1 a2', [2, 5]],
    ['with length 1 they do not grow', { ...reused, maxSequenceLength: 1 }, 'a1 a2', [1, 2]],
    ['of one minute by default', reused, 'a1@0 b1@60000 b2@60001', [2, 2, 0]],
  ])('%s', (_name, config, events, expected) => {
    expect(counts(matcher(config), events)).toEqual(expected);
  });

  test.each([
    [0, [0, 0, 0]],
    [1, [1, 1, 1]],
    [5, [2, 5, 5]],
  ])('at most %p', (max, expected) => {
    expect(counts(matcher(reused, max), 'a1 a2 a3')).toEqual(expected);
  });

  test('at most 1,000 by default', () => {
    expect(counts(matcher(reused), Array(12).fill('a').join(' ')).at(-1)).toBe(1_000);
  });

  test('the newest are kept', () => {
    const newest = matcher({ ...reused, timeWindow: 10 }, 2);
    // Those made last: a1 twice and a2, which began at 0, and a2 twice.
    expect(counts(newest, 'a1@0 a2@8 b@11 b@19')).toEqual([2, 2, 1, 0]);
  });
});

describe('settings', () => {
  test('have defaults', () => {
    expect(PATTERN_CONFIG_DEFAULTS).toEqual({
      timeWindow: 60_000,
      contiguous: false,
      maxSequenceLength: 100,
      allowEventReuse: false,
    });
  });

  test.each<[string, Partial<PatternConfig<string>>, string]>([
    ['a time window of 0', { timeWindow: 0 }, 'RS_INVALID_DURATION'],
    ['a negative time window', { timeWindow: -1 }, 'RS_INVALID_DURATION'],
    ['a time window that is no duration', { timeWindow: 'soon' as never }, 'RS_INVALID_DURATION'],
    ['a length of 0', { maxSequenceLength: 0 }, 'RS_INVALID_ARGUMENT'],
    ['a length that is no integer', { maxSequenceLength: 1.5 }, 'RS_INVALID_ARGUMENT'],
    ['no pattern', { pattern: undefined as never }, 'RS_INVALID_ARGUMENT'],
  ])('refuse %s', (_name, config, code) => {
    expect(() => matcher(config)).toThrow(expect.objectContaining({ code }));
  });

  test('are checked by the matcher, not by the builder', () => {
    const config = new PatternBuilder<string>().withTimeWindow(0);
    expect(() => new PatternMatcher(config)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });

  test.each([-1, 0.5, Number.NaN, '5' as never])('refuse %p active sequences', (max) => {
    expect(() => matcher({}, max)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  });

  test.each([null, undefined, 'a'])('refuse %p in place of them', (config) => {
    expect(() => new PatternMatcher(config as never)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });

  test('a time that is no timestamp is refused', () => {
    expect(() => matcher().process('a', 0.5)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
    );
  });
});
