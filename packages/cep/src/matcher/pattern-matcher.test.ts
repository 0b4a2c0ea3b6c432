import { describe, expect, test } from '@jest/globals';
import { RsError, isRsError } from '@rs/core';
import { Pattern } from '../pattern/pattern.ts';
import { is, letter, seen, shown } from '../test-support/letters.ts';
import type { PatternMatcherOptions } from './options.ts';
import { PatternMatcher } from './pattern-matcher.ts';

const ab = letter('a').followedBy('b', is('b'));
/** A match waits for all that have begun before it. */
const sameNumber = letter('a')
  .followedBy('b', (b, { last }) => b === `b${last('a')?.slice(1) ?? ''}`)
  .skipToNext();

function codeOf(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    return isRsError(error) ? error.code : String(error);
  }
  return undefined;
}

describe('a condition that fails', () => {
  function flaky() {
    const control = { fails: false };
    const pattern = letter('a')
      .oneOrMore()
      .followedBy('b', (event) => {
        if (control.fails) throw new Error('boom');
        return event === 'b';
      });
    return { control, matcher: new PatternMatcher(pattern.within(10)) };
  }

  test('leaves everything as it was, and the event can be given again', () => {
    const { control, matcher } = flaky();
    matcher.process('a1', 0);
    matcher.process('a2', 1);
    const before = matcher.export();
    control.fails = true;
    let error: unknown;
    try {
      matcher.process('b', 3);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'RS_USER_FUNCTION_FAILED',
      message: "pattern: condition of stage 'b' failed: boom",
      details: { stage: 'b' },
      cause: { message: 'boom' },
    });
    expect(matcher.export()).toEqual(before);
    control.fails = false;
    expect(matcher.process('b', 3).map(shown)).toEqual(['{a1 a2 b}', '{a1 b}', '{a2 b}']);
  });

  test('a condition that uses a matcher of its own pattern is told so', () => {
    const pattern: Pattern<string, { a: string }, 'a'> = Pattern.of<string>().begin('a', (event) => {
      if (event === 'a') new PatternMatcher(pattern).process('b', 0);
      return true;
    });
    const matcher = new PatternMatcher(pattern);
    expect(codeOf(() => matcher.process('a', 0))).toBe('RS_UNSUPPORTED');
    expect(matcher.process('b', 0).map(shown)).toEqual(['{b}']);
  });

  test('an RsError keeps its code, a promise is none of the answers', () => {
    const refusing = Pattern.of<string>().begin('a', () => {
      throw new RsError('RS_INVALID_VALUE', 'no price', { details: { line: 1 } });
    });
    expect(() => new PatternMatcher(refusing).process('a', 0)).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_VALUE',
        details: { line: 1, condition: "condition of stage 'a'", stage: 'a' },
      }),
    );
    const asynchronous = Pattern.of<string>().begin('a', (async () => true) as never);
    expect(codeOf(() => new PatternMatcher(asynchronous).process('a', 0))).toBe('RS_ASYNC_NOT_ALLOWED');
  });
});

describe('limits', () => {
  test('by default the event that would exceed one is refused, and nothing changes', () => {
    const matcher = new PatternMatcher(ab, { maxRuns: 2 });
    matcher.process('a1', 0);
    matcher.process('a2', 1);
    const before = matcher.export();
    expect(codeOf(() => matcher.process('a3', 2))).toBe('RS_PATTERN_LIMIT');
    expect(matcher.export()).toEqual(before);
    expect(matcher.process('b', 2).map(shown)).toEqual(['{a1 b}', '{a2 b}']);
  });

  test('runs whose time is over do not count', () => {
    const matcher = new PatternMatcher(ab.within(100), { maxRuns: 20 });
    for (let i = 0; i < 20; i++) matcher.process('a', i);
    matcher.process('a', 119);
    expect(matcher.counters.liveRuns).toBe(1);
  });

  test('or what began first is given up', () => {
    const dropped: string[] = [];
    const matcher = new PatternMatcher(ab, {
      maxRuns: 2,
      onLimit: 'drop-oldest',
      onDropped: (partial) => dropped.push(`${shown(partial)}@${partial.timestamp}`),
    });
    ['a1', 'a2', 'a3'].forEach((event, i) => matcher.process(event, i));
    expect(dropped).toEqual(['{a1}@2']);
    expect(matcher.counters).toEqual({
      liveRuns: 2,
      runs: 2,
      events: 2,
      heldMatches: 0,
      late: 0,
      dropped: 1,
    });
    expect(matcher.process('b', 3).map(shown)).toEqual(['{a2 b}', '{a3 b}']);
  });

  test('a run that gets too long', () => {
    const loop = letter('a').oneOrMore().followedBy('b', is('b')).skipPastLastEvent();
    const failing = new PatternMatcher(loop, { maxEventsPerRun: 2 });
    failing.process('a1', 0);
    failing.process('a2', 1);
    expect(codeOf(() => failing.process('a3', 2))).toBe('RS_PATTERN_LIMIT');
    const dropped: string[] = [];
    const options = { maxEventsPerRun: 2, onLimit: 'drop-oldest' } as const;
    const { matches } = seen(loop, 'a1 a2 a3 b', {
      ...options,
      onDropped: (partial) => dropped.push(shown(partial)),
    });
    expect(dropped).toEqual(['{a1 a2 a3}', '{a1 a2 b}', '{a2 a3 b}']);
    expect(matches).toEqual(['{a1 b}']);
  });

  test('matches that wait count as well', () => {
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const run = (options: PatternMatcherOptions<string, object>) => {
      const matcher = new PatternMatcher(sameNumber, { maxRuns: 5, ...options });
      const matches: string[] = [];
      matcher.process('a99', 0);
      for (const n of numbers) {
        for (const event of [`a${n}`, `b${n}`]) matches.push(...matcher.process(event, n + 1).map(shown));
      }
      return { matches, counters: matcher.counters };
    };
    expect(codeOf(() => run({}))).toBe('RS_PATTERN_LIMIT');
    // What a99 was waiting for is given up, and with that all others are free.
    const { matches, counters } = run({ onLimit: 'drop-oldest' });
    expect(matches).toEqual(numbers.map((n) => `{a${n} b${n}}`));
    expect(counters).toMatchObject({ dropped: 1, heldMatches: 0, liveRuns: 0 });
  });

  test.each([{ maxRuns: 0 }, { maxEventsPerRun: 1.5 }, { onLimit: 'ignore' as never }])(
    '%j is refused',
    (options) => {
      expect(codeOf(() => new PatternMatcher(ab, options))).toBe('RS_INVALID_ARGUMENT');
    },
  );
});

describe('time', () => {
  test('must be whole milliseconds', () => {
    const matcher = new PatternMatcher(ab);
    expect(codeOf(() => matcher.process('a', Number.NaN))).toBe('RS_INVALID_TIMESTAMP');
    expect(codeOf(() => matcher.process('a', Infinity))).toBe('RS_INVALID_TIMESTAMP');
    expect(codeOf(() => matcher.advanceTime(1.5))).toBe('RS_INVALID_TIMESTAMP');
    expect(matcher.advanceTime(-Infinity)).toEqual([]);
  });

  test('from one event to the next', () => {
    const pattern = letter('a').followedBy('b', is('b')).oneOrMore().followedBy('c', is('c'));
    const input = 'a@0 b1@8 b2@16 c@24';
    expect(seen(pattern.within(10), input).matches).toEqual([]);
    const { matches, timedOut } = seen(pattern.within(10, 'previous-to-current'), input);
    expect(matches).toEqual(['{a b1 b2 c}']);
    expect(timedOut).toEqual(['{a b1}@18']);
    expect(seen(pattern.within(8, 'previous-to-current'), input).matches).toEqual([]);
  });

  test('what ends between two events ends in order, before the later one', () => {
    const absent = letter('a').notFollowedBy(is('b')).within(10);
    expect(seen(absent, 'a1@0 a2@3 x@20').steps).toEqual([[], [], ['{a1}', '{a2}']]);
  });

  test('flush ends what waits for time, forgets the rest, and begins anew', () => {
    const absent = new PatternMatcher(letter('a').notFollowedBy(is('b')).within(10));
    absent.process('a', 100);
    expect(absent.flush()).toMatchObject([{ timestamp: 110 }]);
    const matcher = new PatternMatcher(ab);
    matcher.process('a', 100);
    expect(matcher.advanceTime(Infinity)).toEqual([]);
    expect(matcher.counters.runs).toBe(0);
    expect(matcher.process('b', 1)).toEqual([]);
    expect(matcher.counters.late).toBe(0);
  });
});

describe('skipping to a stage that has no event', () => {
  const pattern = letter('a').next('b', is('b')).optional().followedBy('c', is('c'));

  test('skips nothing', () => {
    expect(seen(pattern.skipToFirst('b'), 'a1 a2 c').matches).toEqual(['{a1 c}', '{a2 c}']);
  });

  test('or refuses the event', () => {
    const matcher = new PatternMatcher(pattern.skipToFirst('b', { throwOnMiss: true }));
    matcher.process('a', 0);
    const before = matcher.export();
    expect(codeOf(() => matcher.process('c', 1))).toBe('RS_PATTERN_SKIP_MISSED');
    expect(matcher.export()).toEqual(before);
  });

  test('or refuses once, when no event but time has made the match certain, and gives it up', () => {
    const matcher = new PatternMatcher(
      pattern.notFollowedBy(is('d')).within(10).skipToFirst('b', { throwOnMiss: true }),
    );
    for (const [time, event] of ['a', 'c', 'a', 'b', 'c'].entries()) matcher.process(event, time);
    expect(codeOf(() => matcher.advanceTime(100))).toBe('RS_PATTERN_SKIP_MISSED');
    expect(matcher.advanceTime(100).map(shown)).toEqual(['{a b c}']);
    expect(matcher.counters.runs).toBe(0);
  });
});

test('a callback that throws loses no match', () => {
  let throws = true;
  const timedOut: string[] = [];
  const matcher = new PatternMatcher(ab.within(10), {
    onTimeout: (partial) => {
      timedOut.push(shown(partial));
      if (throws) throw new RsError('RS_UNSUPPORTED', 'not now');
    },
  });
  for (const [time, event] of ['a1', 'a2', 'a3'].entries()) matcher.process(event, 4 * time);
  expect(codeOf(() => matcher.process('b', 15))).toBe('RS_UNSUPPORTED');
  throws = false;
  expect(matcher.process('x', 16).map(shown)).toEqual(['{a3 b}']);
  expect(timedOut).toEqual(['{a1}', '{a2}']);
});

test("a condition that returns a promise is refused, and a rejection of it is nobody else's", async () => {
  const matcher = new PatternMatcher(letter('a').where((() => Promise.reject(new Error('later'))) as never));
  expect(codeOf(() => matcher.process('a', 0))).toBe('RS_ASYNC_NOT_ALLOWED');
  await new Promise((resolve) => setImmediate(resolve));
});

test('loops in loops: a run that can go on in many ways is one run', () => {
  const burst = letter('a').times(1, 50);
  const matcher = new PatternMatcher(letter('s').next(burst).times(1, 50).next('e', is('e')));
  const events = ['s', ...Array.from({ length: 60 }, (_, i) => `a${i}`), 'e'];
  const found = events.flatMap((event, time) => matcher.process(event, time));
  expect(found.map(({ sequence }) => sequence.length)).toEqual([62]);
});

describe('many runs', () => {
  interface Signal {
    readonly kind: 's' | 'a' | 'both' | 'e' | 'x';
    readonly group: number;
  }

  test.each([15, 16, 40])('%i: conditions say the same as for few', (count) => {
    const pattern = Pattern.of<Signal>()
      .begin('s', ({ kind }) => kind === 's')
      .notFollowedBy(({ kind }) => kind === 'both')
      .followedBy(
        'a',
        ({ kind, group }, { last }) => kind !== 's' && kind !== 'e' && last('s')?.group === group,
      )
      .oneOrMore()
      .followedBy('e', ({ kind }) => kind === 'e');
    const matcher = new PatternMatcher(pattern);
    const lengths: number[] = [];
    let time = 0;
    const feed = (kind: Signal['kind'], group = 0): void => {
      for (const { sequence } of matcher.process({ kind, group }, time++)) lengths.push(sequence.length);
    };
    for (let i = 0; i < count; i++) for (const group of [1, 2]) feed('s', group);
    feed('a', 1);
    // Forbidden behind an s alone, so group 2 is out; for group 1 it is one more a.
    feed('both', 1);
    feed('a', 2);
    feed('e');
    expect([...new Set(lengths)].sort()).toEqual([3, 4]);
    expect(lengths).toHaveLength(2 * count);
  });
});

test('a match waits for runs that began before it', () => {
  const pattern = letter('a')
    .followedBy('b', is('b'))
    .followedBy('c', is('c'))
    .or(is('d'))
    .within(10)
    .skipToNext();
  const late = letter('a')
    .followedBy('b', (b, context) => b.slice(1) === context.last('a')?.slice(1))
    .within(10)
    .skipToNext();
  expect(seen(pattern, 'a1@0 a2@1 b@2 c@3').steps).toEqual([[], [], [], ['{a1 b c}', '{a2 b c}']]);
  // {a2 b2} is certain at once, and comes when a1 has its b, or no time left for one.
  expect(seen(late, 'a1@0 a2@1 b2@2 b1@3').steps).toEqual([[], [], [], ['{a1 b1}', '{a2 b2}']]);
  expect(seen(late, 'a1@0 a2@1 b2@2 |9 |10').steps).toEqual([[], [], [], [], ['{a2 b2}']]);
});

describe('restore', () => {
  const stored = () => {
    const matcher = new PatternMatcher(ab);
    matcher.process('a', 5);
    return matcher.export();
  };

  test('of another pattern fails, or clears', () => {
    const other = new PatternMatcher(ab.within('1s'));
    other.process('a0', 1);
    const before = other.export();
    expect(codeOf(() => other.restore(stored()))).toBe('RS_PATTERN_MISMATCH');
    expect(other.export()).toEqual(before);
    expect(other.restore(stored(), { onMismatch: 'clear' })).toBe(false);
    expect(other.counters.runs).toBe(0);
  });

  test('into a matcher that has skipped more events than the document knows', () => {
    const skipping = ab.skipPastLastEvent();
    const used = new PatternMatcher(skipping);
    ['a', 'b', 'a', 'b'].forEach((event, i) => used.process(event, i));
    used.restore(new PatternMatcher(skipping).export());
    expect(['a', 'b'].flatMap((event, i) => used.process(event, i)).map(shown)).toEqual(['{a b}']);
  });

  test('keeps what is late', () => {
    const matcher = new PatternMatcher(ab);
    matcher.restore(stored());
    matcher.process('b', 4);
    expect(matcher.counters.late).toBe(1);
    expect(matcher.process('b', 5).map(shown)).toEqual(['{a b}']);
  });

  test.each<[string, (document: Record<string, unknown>) => unknown]>([
    ['nothing', () => undefined],
    ['another format', (document) => ({ ...document, format: 2 })],
    ['no runs', (document) => ({ ...document, runs: undefined })],
    ['a run without its event', (document) => ({ ...document, events: [] })],
    ['a run without its parent', (document) => ({ ...document, runs: [[0, 7, 0, 0, 0, ['0.1:0']]] })],
    ['an unknown stage', (document) => ({ ...document, runs: [[0, -1, 9, 0, 0, ['0.1:0']]] })],
    ['an unknown position', (document) => ({ ...document, runs: [[0, -1, 0, 0, 0, ['0.7:0']]] })],
    ['an unknown move', (document) => ({ ...document, runs: [[0, -1, 0, 0, 0, ['0.1:3']]] })],
    ['an event at no time', (document) => ({ ...document, events: [[0, null, 'a']] })],
    ['an event at a text', (document) => ({ ...document, events: [[0, '5', 'a']] })],
    ['an event without anything', (document) => ({ ...document, events: [[0]] })],
    ['a stage that is a text', (document) => ({ ...document, runs: [[0, -1, 'length', 0, 0, ['0.1:0']]] })],
    ['a move that is a number', (document) => ({ ...document, runs: [[0, -1, 0, 0, 0, [5]]] })],
    ['a run that nothing needs', (document) => ({ ...document, runs: [[0, -1, 0, 0, 0, []]] })],
    ['a run that comes later', (document) => ({ ...document, nextRun: 0 })],
    ['an event that comes later', (document) => ({ ...document, nextSeq: 0 })],
    ['a beginning at a text', (document) => ({ ...document, earliest: 'x' })],
    ['a match at no time', (document) => ({ ...document, held: [[0, null, 0]] })],
    ['a match of an unknown run', (document) => ({ ...document, held: [[4, 1, 0]] })],
  ])('of a document with %s is refused, and leaves the matcher as it was', (_, change) => {
    const matcher = new PatternMatcher(ab);
    matcher.process('a', 1);
    const before = matcher.export();
    const document = change({ ...stored() });
    expect(codeOf(() => matcher.restore(document as ReturnType<typeof stored>))).toBe('RS_INVALID_VALUE');
    expect(matcher.export()).toEqual(before);
  });
});

test('what no longer matters is let go', () => {
  const matcher = new PatternMatcher(
    letter('a').followedBy('b', is('b')).followedBy('c', is('c')).within(100),
  );
  for (let time = 0; time < 10_000; time++) matcher.process(['a', 'b', 'x', 'c'][time % 4] ?? '', time);
  expect(matcher.counters).toMatchObject({ liveRuns: 0, runs: 0, events: 0 });
});
