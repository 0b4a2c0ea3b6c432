import { describe, expect, test } from '@jest/globals';
import { Pattern } from './pattern.ts';
import { PatternSequence } from './pattern-sequence.ts';
import { PatternSequenceMatcher } from './pattern-sequence-matcher.ts';
import { is, letter } from './test-support/letters.ts';

const aThenB = () => letter('a').followedBy('b', is('b'));
const loop = () => letter('c').followedBy('a', is('a')).oneOrMore().followedBy('b', is('b'));

function feed(matcher: PatternSequenceMatcher<string>, events: string): string[] {
  return events
    .split(' ')
    .flatMap((event, at) => matcher.process(event, 10 * at))
    .map((match) => match.events.join(' '));
}

describe('a match', () => {
  test('has its events by step, and times', () => {
    const sequence = loop();
    const matcher = new PatternSequenceMatcher(sequence);
    feed(matcher, 'c a1 a2');
    const [match] = matcher.process('b', 45);
    expect(match).toMatchObject({
      events: ['c', 'a1', 'a2', 'b'],
      eventsByStep: { 0: ['c'], 1: ['a1', 'a2'], 2: ['b'] },
      startTs: 0,
      endTs: 45,
      duration: 45,
    });
    expect(match?.getEventsForStep('a', sequence)).toEqual(['a1', 'a2']);
    expect(match?.getEventsForStep('x', sequence)).toEqual([]);
  });

  test('gives the events of the first step of a name', () => {
    const sequence = letter('x').next('x', is('y'));
    const matcher = new PatternSequenceMatcher(sequence);
    matcher.process('x1', 0);
    expect(matcher.process('y1', 0)[0]?.getEventsForStep('x', sequence)).toEqual(['x1']);
  });

  test('has no entry for a step that was skipped', () => {
    const sequence = letter('a').followedBy('b', is('b')).optional().followedBy('c', is('c'));
    const matcher = new PatternSequenceMatcher(sequence);
    matcher.process('a', 0);
    const [match] = matcher.process('c', 1);
    expect(match?.eventsByStep).toEqual({ 0: ['a'], 2: ['c'] });
    expect(match?.getEventsForStep('b', sequence)).toEqual([]);
  });

  test('may end before it starts, as events come', () => {
    const matcher = new PatternSequenceMatcher(aThenB());
    matcher.process('a', 10);
    expect(matcher.process('b', 4)[0]?.duration).toBe(-6);
  });
});

describe('matches that are kept', () => {
  const kept = (max?: number): string[] => {
    const matcher = new PatternSequenceMatcher(aThenB(), max);
    feed(matcher, 'a1 b1 a2 b2 a3 b3');
    return matcher.completeMatches.map(({ events }) => events.join(' '));
  };

  test.each([
    [undefined, ['a1 b1', 'a2 b2', 'a3 b3']],
    [2, ['a2 b2', 'a3 b3']],
    [1, ['a3 b3']],
    [0, []],
  ])('with a limit of %p', (max, expected) => {
    expect(kept(max)).toEqual(expected);
  });

  test('are 1,000 by default', () => {
    const matcher = new PatternSequenceMatcher(letter('a'));
    for (let at = 0; at < 1_001; at++) matcher.process(`a${at}`, at);
    expect(matcher.completeMatches).toHaveLength(1_000);
    expect(matcher.completeMatches[0]?.events).toEqual(['a1']);
  });

  test('are a copy', () => {
    const matcher = new PatternSequenceMatcher(letter('a'));
    matcher.process('a', 0);
    matcher.completeMatches.pop();
    expect(matcher.completeMatches).toHaveLength(1);
  });

  test.each([-1, 0.5, '1' as never])('a limit of %p is refused', (max) => {
    expect(() => new PatternSequenceMatcher(aThenB(), max)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });
});

test('a condition that throws leaves everything as it was', () => {
  const failing = Pattern.of((event: string) => {
    if (event === 'bad') throw new RangeError('bad');
    return event.startsWith('b');
  });
  const matcher = new PatternSequenceMatcher(letter('a').next('b', failing).within(5));
  matcher.process('a', 0);
  expect(() => matcher.process('bad', 1)).toThrow(RangeError);
  expect(matcher.process('b', 1)).toHaveLength(1);
});

test('a condition is asked once for an event, however much has begun', () => {
  let asked = 0;
  const counting = Pattern.of((event: string) => {
    asked++;
    return event.startsWith('b');
  });
  const matcher = new PatternSequenceMatcher(letter('a').followedBy('b', counting));
  feed(matcher, 'a1 a2 a3');
  asked = 0;
  expect(matcher.process('b', 100)).toHaveLength(3);
  expect(asked).toBe(1);
});

test('a sequence that changes does not change its matchers', () => {
  const sequence = letter('a');
  const matcher = new PatternSequenceMatcher(sequence);
  sequence.next('b', is('b')).within(1);
  expect(matcher.process('a', 0)).toHaveLength(1);
});

test('a time that is no timestamp is refused', () => {
  const matcher = new PatternSequenceMatcher(aThenB());
  expect(() => matcher.process('a', Number.NaN)).toThrow(
    expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
  );
  expect(matcher.partialMatchCount).toBe(0);
});

describe('export and restore', () => {
  test('what has begun goes on in another matcher', () => {
    const before = new PatternSequenceMatcher(loop());
    feed(before, 'c a1');
    const exported = before.exportPartialMatches();
    expect(exported).toEqual([
      { startTimestamp: 0, currentStep: 1, eventsByStep: { 0: ['c'], 1: ['a1'] } },
      { startTimestamp: 0, currentStep: 2, eventsByStep: { 0: ['c'], 1: ['a1'] } },
    ]);
    const after = new PatternSequenceMatcher(loop());
    after.restorePartialMatches(JSON.parse(JSON.stringify(exported)) as typeof exported);
    expect(after.exportPartialMatches()).toEqual(exported);
    expect(feed(after, 'b')).toEqual(['c a1 b']);
  });

  test('the counts of a loop go on', () => {
    const sequence = () => letter('a').times(3);
    const before = new PatternSequenceMatcher(sequence());
    feed(before, 'a1 a2');
    const after = new PatternSequenceMatcher(sequence());
    after.restorePartialMatches(before.exportPartialMatches());
    expect(feed(after, 'a3 a4')).toEqual(['a1 a2 a3']);
  });

  test('the time of within goes on', () => {
    const after = new PatternSequenceMatcher(aThenB().within(10));
    after.restorePartialMatches([{ startTimestamp: 5, currentStep: 1, eventsByStep: { 0: ['a'] } }]);
    expect(after.process('x', 15)).toEqual([]);
    expect(after.partialMatchCount).toBe(1);
    expect(after.process('b', 16)).toEqual([]);
    expect(after.partialMatchCount).toBe(0);
  });

  test('steps are ascending whatever the order of the properties', () => {
    const after = new PatternSequenceMatcher(loop());
    const state = JSON.parse(
      '{"startTimestamp":0,"currentStep":2,"eventsByStep":{"1":["a1"],"0":["c"]}}',
    ) as never;
    after.restorePartialMatches([state]);
    expect(feed(after, 'b')).toEqual(['c a1 b']);
  });

  test('what is exported is a copy', () => {
    const matcher = new PatternSequenceMatcher(aThenB());
    matcher.process('a', 0);
    const [exported] = matcher.exportPartialMatches();
    (exported?.eventsByStep[0] as string[]).push('a2');
    expect(matcher.process('b', 1)[0]?.events).toEqual(['a', 'b']);
  });

  test('restore replaces what has begun', () => {
    const matcher = new PatternSequenceMatcher(aThenB());
    matcher.process('a', 0);
    matcher.restorePartialMatches([]);
    expect(matcher.partialMatchCount).toBe(0);
  });

  const good = { startTimestamp: 0, currentStep: 1, eventsByStep: { 0: ['a'] } };
  test.each<[string, unknown]>([
    ['no object', null],
    ['no start', { ...good, startTimestamp: '0' }],
    ['a step that the sequence does not have', { ...good, currentStep: 2 }],
    ['a step below 0', { ...good, currentStep: -1 }],
    ['no events', { ...good, eventsByStep: undefined }],
    ['events that are no list', { ...good, eventsByStep: { 0: 'a' } }],
    ['events behind its step', { ...good, currentStep: 0, eventsByStep: { 1: ['b'] } }],
    ['events of something else', { ...good, eventsByStep: { first: ['a'] } }],
  ])('a state with %s is refused, and nothing changes', (_name, state) => {
    const matcher = new PatternSequenceMatcher(aThenB());
    matcher.process('a', 0);
    expect(() => matcher.restorePartialMatches([state as never])).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE' }),
    );
    expect(matcher.process('b', 1)).toHaveLength(1);
  });

  test('what is no list is refused', () => {
    const matcher = new PatternSequenceMatcher(PatternSequence.begin('a', is('a')));
    expect(() => matcher.restorePartialMatches({} as never)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
    );
  });
});
