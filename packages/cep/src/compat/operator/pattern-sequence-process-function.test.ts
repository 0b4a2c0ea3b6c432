import { describe, expect, test } from '@jest/globals';
import { Pattern } from '../pattern.ts';
import { PatternSequence } from '../pattern-sequence.ts';
import type { EventSequence } from '../event-sequence.ts';
import { KeyedRun } from '../test-support/keyed-run.ts';
import { is, letter } from '../test-support/letters.ts';
import { PatternSequenceProcessFunction } from './pattern-sequence-process-function.ts';

const STATE = '__operator.cep.partials';

interface Event {
  readonly type: string;
  readonly at: number;
}

const type = (wanted: string) => Pattern.of((event: Event) => event.type === wanted);
const aNextB = () => PatternSequence.begin('a', type('a')).next('b', type('b'));
const aThenB = () => PatternSequence.begin('a', type('a')).followedBy('b', type('b'));

function operator(
  sequence = aNextB(),
  maxTrackedKeys?: number,
): PatternSequenceProcessFunction<string, Event> {
  return new PatternSequenceProcessFunction(sequence, ({ at }) => at, maxTrackedKeys);
}

/** Feeds `k1:a@5 k2:b`: key, type and time, by default one and the same. Lists `{a b}` for each match. */
function feed(run: KeyedRun<string, Event, EventSequence<Event>>, records: string): string {
  const found = records.split(' ').flatMap((record) => {
    const [key = '', rest = ''] = record.split(':');
    const [name = '', at = '1'] = rest.split('@');
    return run.process(key, { type: name, at: Number(at) });
  });
  return found.map(({ events }) => `{${events.map((event) => event.type).join(' ')}}`).join(' ');
}

describe('matches', () => {
  test('are sequences with the times of their events', () => {
    const run = new KeyedRun(operator());
    feed(run, 'k:a@5');
    expect(run.process('k', { type: 'b', at: 8 }).map((found) => found.toJSON())).toEqual([
      {
        events: [
          { type: 'a', at: 5 },
          { type: 'b', at: 8 },
        ],
        startTime: 5,
        endTime: 8,
      },
    ]);
  });

  test('are of one key', () => {
    const run = new KeyedRun(operator());
    expect(feed(run, 'k1:a k2:b k1:b')).toBe('{a b}');
  });

  test('have the processing time without an extractor', () => {
    const run = new KeyedRun(
      new PatternSequenceProcessFunction<string, string>(letter('a').next('b', is('b'))),
    );
    run.processingTime = 7;
    run.process('k', 'a');
    run.processingTime = 9;
    expect(run.process('k', 'b')[0]).toMatchObject({ startTime: 7, endTime: 9 });
  });

  test('end with within when the next event of the key comes', () => {
    const run = new KeyedRun(operator(aThenB().within(10)));
    expect(feed(run, 'k:a@0 other:a@100 k:x@10')).toBe('');
    expect(run.stored('k', STATE)).toBeDefined();
    expect(feed(run, 'k:b@11')).toBe('');
    expect(run.stored('k', STATE)).toBeUndefined();
  });

  test('keys are compared by value', () => {
    const fn = new PatternSequenceProcessFunction<object, Event>(aNextB(), ({ at }) => at, 1);
    const run = new KeyedRun(fn);
    run.process({ shop: 1, user: 2 }, { type: 'a', at: 1 });
    run.process({ shop: 1, user: 3 }, { type: 'x', at: 1 });
    expect(run.process({ user: 2, shop: 1 }, { type: 'b', at: 2 })).toHaveLength(1);
  });

  test('follow the steps that the sequence had when the function was made', () => {
    const sequence = PatternSequence.begin('a', type('a'));
    const run = new KeyedRun(operator(sequence));
    sequence.next('b', type('b'));
    expect(feed(run, 'k:a')).toBe('{a}');
  });
});

describe('the state document', () => {
  test('has what has begun, after each record', () => {
    const run = new KeyedRun(operator(aThenB()));
    feed(run, 'k:a@1000 k:a@2000');
    expect(run.stored('k', STATE)).toBe(
      '{"partials":[' +
        '{"startTimestamp":1000,"currentStep":1,"eventsByStep":{"0":[{"type":"a","at":1000}]}},' +
        '{"startTimestamp":2000,"currentStep":1,"eventsByStep":{"0":[{"type":"a","at":2000}]}}]}',
    );
  });

  test('is cleared when nothing has begun', () => {
    const run = new KeyedRun(operator());
    feed(run, 'k:a k:b other:x');
    expect(run.storedKeys).toEqual([]);
  });

  test('is read by a function that knows nothing, and unknown properties are ignored', () => {
    const run = new KeyedRun(operator());
    run.store(
      'k',
      STATE,
      '{"version":2,"partials":[{"startTimestamp":1,"currentStep":1,"eventsByStep":{"0":[{"type":"a","at":1}]},"note":""}]}',
    );
    expect(feed(run, 'k:b')).toBe('{a b}');
  });

  test.each([
    ['what is no JSON', 'partials'],
    ['a number', '5'],
    ['null', 'null'],
    ['no partials', '{}'],
    [
      'a partial of another sequence',
      '{"partials":[{"startTimestamp":1,"currentStep":7,"eventsByStep":{}}]}',
    ],
    ['a partial that is none', '{"partials":[null]}'],
  ])('with %s is refused', (_name, document) => {
    for (const reviveEvent of [undefined, (json: unknown) => json as Event]) {
      const options = reviveEvent === undefined ? {} : { reviveEvent };
      const run = new KeyedRun(
        new PatternSequenceProcessFunction<string, Event>(aNextB(), () => 1, 0, options),
      );
      run.store('k', STATE, document);
      expect(() => feed(run, 'k:b')).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
    }
  });

  test('goes on after a restart', () => {
    const run = new KeyedRun(operator(aThenB()));
    feed(run, 'k:a@1 k:a@2');
    run.restart(operator(aThenB()));
    expect(feed(run, 'k:b')).toBe('{a b} {a b}');
  });
});

describe('events that are no plain data', () => {
  interface Dated {
    readonly type: string;
    readonly on: Date;
  }
  const dated = (name: string): Dated => ({ type: name, on: new Date(Date.UTC(2026, 0, 2)) });
  const sequence = () =>
    PatternSequence.begin(
      'a',
      Pattern.of((event: Dated) => event.type === 'a'),
    ).next(
      'b',
      Pattern.of((event) => event.type === 'b'),
    );

  test('have dates as ISO-8601 texts in the document, and are revived', () => {
    const make = () =>
      new PatternSequenceProcessFunction<string, Dated>(sequence(), () => 1, 0, {
        reviveEvent: (json) => {
          const { type: name, on } = json as { type: string; on: string };
          return { type: name, on: new Date(on) };
        },
      });
    const run = new KeyedRun(make());
    run.process('k', dated('a'));
    expect(run.stored('k', STATE)).toContain('"on":"2026-01-02T00:00:00.000Z"');
    run.restart(make());
    expect(run.process('k', dated('b'))[0]?.events).toEqual([dated('a'), dated('b')]);
  });

  class Reading {
    readonly value = 1;
  }
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  test.each<[string, unknown, string]>([
    ['a date', { at: new Date(0) }, '0[0].at'],
    ['an instance of a class', new Reading(), '0[0]'],
    ['a map inside of a list', { all: [1, new Map()] }, '0[0].all[1]'],
    ['a number that is none', { value: Number.NaN }, '0[0].value'],
    ['undefined in a list', [undefined], '0[0][0]'],
    ['a function', { call: () => 1 }, '0[0].call'],
  ])('are refused otherwise: %s', (_name, event, path) => {
    const run = new KeyedRun(
      new PatternSequenceProcessFunction<string, unknown>(
        PatternSequence.begin<unknown>(
          'a',
          Pattern.of(() => true),
        ).times(2),
        () => 1,
      ),
    );
    expect(() => run.process('k', event)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE', details: { path } }),
    );
  });

  test.each<[string, unknown]>([
    ['a bigint', { value: 1n }],
    ['a cycle', cycle],
  ])('are refused with reviveEvent too when they are no JSON: %s', (_name, event) => {
    for (const options of [{}, { reviveEvent: (json: unknown) => json }]) {
      const run = new KeyedRun(
        new PatternSequenceProcessFunction<string, unknown>(
          PatternSequence.begin<unknown>(
            'a',
            Pattern.of(() => true),
          ).times(2),
          () => 1,
          0,
          options,
        ),
      );
      expect(() => run.process('k', event)).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
    }
  });

  test("are nobody's business while nothing has to be stored", () => {
    const run = new KeyedRun(new PatternSequenceProcessFunction<string, Dated>(sequence(), () => 1));
    expect(run.process('k', dated('b'))).toEqual([]);
  });

  test('what JSON leaves out without harm is allowed', () => {
    const run = new KeyedRun(
      new PatternSequenceProcessFunction<string, unknown>(
        PatternSequence.begin<unknown>(
          'a',
          Pattern.of(() => true),
        ).times(2),
        () => 1,
      ),
    );
    const bare: unknown = Object.assign(Object.create(null) as object, {
      a: undefined,
      b: [null, true, 'c', 0.5],
    });
    run.process('k', bare);
    expect(run.stored('k', STATE)).toContain('{"b":[null,true,"c",0.5]}');
  });
});

describe('eviction', () => {
  test('loses what had begun, and a key without anything is evicted first', () => {
    const run = new KeyedRun(operator(aNextB(), 2));
    expect(feed(run, 'k1:a k2:a k3:a')).toBe('');
    expect(run.stored('k1', STATE)).toBeDefined();
    expect(feed(run, 'k1:b')).toBe('');
    expect(run.stored('k1', STATE)).toBeUndefined();
    expect(feed(run, 'k2:b k3:b')).toBe('{a b} {a b}');
  });

  test('is of the key that was touched longest ago', () => {
    const run = new KeyedRun(operator(aThenB(), 2));
    expect(feed(run, 'k1:a k2:a k1:x k3:a k2:b k1:b k3:b')).toBe('{a b} {a b}');
  });

  test('a key that comes back begins anew', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    expect(feed(run, 'k1:a@1 k2:a@2 k1:a@3 k1:b@4')).toBe('{a b}');
    expect(run.storedKeys).toEqual(['"k2"']);
  });

  test('the same document anew is alive', () => {
    const run = new KeyedRun(operator(aThenB(), 1));
    feed(run, 'k1:a k2:a k1:a k1:x');
    run.commit();
    // Not from the cache: that has another document by now.
    feed(run, 'k1:a@9');
    run.undo();
    expect(feed(run, 'k1:b')).toBe('{a b}');
  });

  test('a restart forgets what was evicted', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    feed(run, 'k1:a k2:a');
    run.restart(operator(aNextB(), 1));
    expect(feed(run, 'k1:b')).toBe('{a b}');
  });

  test('keys without anything do not count', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    expect(feed(run, 'k1:a k2:x k3:x k1:b')).toBe('{a b}');
  });

  test('0 is no limit', () => {
    const run = new KeyedRun(operator(aNextB(), 0));
    const keys = Array.from({ length: 10_001 }, (_none, at) => `k${at}`);
    feed(run, keys.map((key) => `${key}:a`).join(' '));
    expect(feed(run, 'k0:b')).toBe('{a b}');
  });

  test('10,000 keys are the default', () => {
    const run = new KeyedRun(operator());
    const keys = Array.from({ length: 10_001 }, (_none, at) => `k${at}`);
    feed(run, keys.map((key) => `${key}:a`).join(' '));
    expect(feed(run, 'k0:b k1:b')).toBe('{a b}');
  });
});

describe('a batch that is undone and given again', () => {
  test('finds the same', () => {
    const run = new KeyedRun(operator(aThenB()));
    feed(run, 'k:a@1');
    run.commit();
    expect(feed(run, 'k:a@2 k:b@3')).toBe('{a b} {a b}');
    run.undo();
    expect(feed(run, 'k:a@2 k:b@3')).toBe('{a b} {a b}');
  });

  test('finds nothing of a record that is not given again', () => {
    const run = new KeyedRun(operator(aThenB()));
    feed(run, 'k:a@1');
    run.undo();
    expect(feed(run, 'k:b@2')).toBe('');
  });

  test('an evicted key stays evicted though the record that has overwritten its document is undone', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    feed(run, 'k1:a k2:a');
    run.commit();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(feed(run, 'k1:b')).toBe('');
      run.undo();
    }
    expect(feed(run, 'k1:b')).toBe('');
  });

  test('it stays so when it was evicted again in between', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    feed(run, 'k1:a@1 k2:a@1');
    run.commit();
    expect(feed(run, 'k1:a@2 k3:a@2 k1:b@3')).toBe('');
    run.undo();
    expect(feed(run, 'k1:b@3')).toBe('');
  });

  test('a key that was evicted only in the undone batch has its document of before', () => {
    const run = new KeyedRun(operator(aThenB(), 1));
    feed(run, 'k1:a@1');
    run.commit();
    feed(run, 'k1:a@2 k2:a@2');
    run.undo();
    expect(feed(run, 'k1:b@3')).toBe('{a b}');
  });

  test('a key that had nothing left when it was evicted has its document of before', () => {
    const run = new KeyedRun(operator(aNextB(), 1));
    feed(run, 'k1:a@1');
    run.commit();
    expect(feed(run, 'k1:b@2 k2:a@2 k3:a@2')).toBe('{a b}');
    run.undo();
    expect(feed(run, 'k1:b@2')).toBe('{a b}');
  });

  test('a condition that throws leaves the key as it was', () => {
    const failing = PatternSequence.begin('a', type('a')).next(
      'b',
      Pattern.of((event: Event) => {
        if (event.type === 'bad') throw new RangeError('bad');
        return event.type === 'b';
      }),
    );
    const run = new KeyedRun(operator(failing));
    feed(run, 'k:a');
    run.commit();
    expect(() => feed(run, 'k:bad')).toThrow(RangeError);
    run.undo();
    expect(feed(run, 'k:b')).toBe('{a b}');
  });

  test('one function serves partitions whose keys are alike', () => {
    const fn = operator(aThenB());
    const [left, right] = [new KeyedRun(fn), new KeyedRun(fn)];
    feed(left, 'k:a');
    expect(feed(right, 'k:x k:b')).toBe('');
    expect(feed(left, 'k:b')).toBe('{a b}');
  });
});

describe('arguments', () => {
  const invalid = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });

  test.each([-1, 0.5, Number.NaN])('maxTrackedKeys of %p is refused', (max) => {
    expect(() => operator(aNextB(), max)).toThrow(invalid);
  });

  test('an extractor and reviveEvent are functions, the sequence is one and has steps', () => {
    expect(() => new PatternSequenceProcessFunction(aNextB(), 'at' as never)).toThrow(invalid);
    expect(
      () => new PatternSequenceProcessFunction(aNextB(), undefined, 0, { reviveEvent: 'x' as never }),
    ).toThrow(invalid);
    expect(() => new PatternSequenceProcessFunction(aNextB(), undefined, 0, null as never)).toThrow(invalid);
    expect(() => new PatternSequenceProcessFunction({} as never)).toThrow(invalid);
    expect(() => new PatternSequenceProcessFunction(PatternSequence.begin())).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_PATTERN' }),
    );
  });

  test('a time that is no timestamp is refused', () => {
    const run = new KeyedRun(operator());
    expect(() => run.process('k', { type: 'a', at: 0.5 })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
    );
  });
});
