import { describe, expect, test } from '@jest/globals';
import type { History } from '../history/history.ts';
import { entriesOf, history, LOG, rightResults, withPartition } from '../test-support/histories.ts';
import { check } from './check.ts';

const told = (run: History): string[] =>
  check(run).violations.map(({ promise, what }) => `${promise}: ${what}`);

describe('planted in the results', () => {
  test('a count that is one too high, and one that is not there', () => {
    const [key = ''] = Object.keys(rightResults().partitions[2]?.counts ?? {});
    const changed = withPartition(2, ({ counts }) => ({
      counts: { ...counts, [key]: (counts[key] ?? 0) + 1 },
    }));
    expect(told(changed)).toEqual([
      expect.stringMatching(
        `^the sum of counts .*: partition 2: the count of ${key} is \\d+, and it had \\d+`,
      ),
    ]);
    const { [key]: _, ...rest } = rightResults().partitions[2]?.counts ?? {};
    expect(told(withPartition(2, () => ({ counts: rest })))).toEqual([
      expect.stringContaining(`the count of ${key} is not there`),
    ]);
  });

  test('a session twice, and one without a record', () => {
    const twice = withPartition(3, ({ sessions }) => ({ sessions: [...sessions, ...sessions.slice(0, 1)] }));
    expect(told(twice)).toEqual([
      expect.stringMatching(/^each window .*: sessions of partition 3: 2 times instead of 1: \{"key"/),
    ]);
    const poorer = withPartition(3, ({ sessions }) => ({
      sessions: sessions.map((each, at) => (at === 4 ? { ...each, records: [] } : each)),
    }));
    expect(told(poorer)).toHaveLength(2);
  });

  test('a late record that nobody was told of', () => {
    const partition = rightResults().partitions.findIndex(({ late }) => late.length > 0);
    expect(told(withPartition(partition, () => ({ late: [] })))[0]).toContain(
      `late records of partition ${partition}: missing:`,
    );
  });

  test('a window whose last result was overwritten by an earlier one', () => {
    const changed = withPartition(5, ({ windows }) => {
      const [field = '', window] = Object.entries(windows)[3] ?? [];
      return window === undefined ? {} : { windows: { ...windows, [field]: { ...window, records: [1] } } };
    });
    expect(told(changed)).toEqual([
      expect.stringMatching(/^each window .*: partition 5: the window key-\d+ \d+ has .*"records":\[1\]/),
    ]);
  });

  test('a timer that fired twice, one that never did, and two in the wrong order', () => {
    const twice = withPartition(1, ({ timers }) => ({
      timers: timers.toSpliced(3, 0, ...timers.slice(3, 4)),
    }));
    expect(told(twice)[0]).toMatch(/^each timer .*: timers of partition 1: 2 times instead of 1/);
    const never = withPartition(1, ({ timers }) => ({ timers: timers.slice(1) }));
    expect(told(never)[0]).toContain('timers of partition 1: missing:');
    const swapped = withPartition(1, ({ timers: [first, second, ...rest] }) => ({
      timers: first === undefined || second === undefined ? [] : [second, first, ...rest],
    }));
    expect(told(swapped)[0]).toContain('timers of partition 1: out of order');
  });

  test('a timer of processing time that fired twice, and one that never did', () => {
    const [first] = entriesOf(6);
    const twice = withPartition(6, ({ clockTimers }) => ({
      clockTimers: [...clockTimers, ...clockTimers.slice(0, 1)],
    }));
    expect(told(twice)).toEqual([
      `each timer fires once: timers of processing time of partition 6, by record: 2 times instead of 1: {"n":${first?.n}}`,
    ]);
    const never = withPartition(6, ({ clockTimers }) => ({ clockTimers: clockTimers.slice(1) }));
    expect(told(never)).toEqual([expect.stringContaining(`by record: missing: {"n":${first?.n}}`)]);
  });

  test('a result twice in its topic, one in another partition of it, and two in the wrong order', () => {
    const right = rightResults();
    const [first = [], ...others] = right.countsTopic;
    const [one, ...rest] = first;
    if (one === undefined) throw new Error('a result in partition 0');
    const changed = (countsTopic: History['results']['countsTopic']): string[] =>
      told(history({ results: { ...right, countsTopic } }));
    expect(changed([[one, ...first], ...others])).toEqual([
      expect.stringMatching(
        /^topics get .*: chaos-counts, partition 0, from partition \d: 2 times instead of 1/,
      ),
    ]);
    const [next = [], ...more] = others;
    expect(changed([rest, [...next, one], ...more])).toEqual([
      expect.stringContaining('partition 0, from partition'),
      expect.stringContaining("nobody's"),
    ]);
    const ofKey = first.filter(({ key }) => key === one.key);
    const reversed = [...ofKey].reverse();
    expect(
      changed([first.map((each) => (each.key === one.key ? (reversed.shift() ?? each) : each)), ...others]),
    ).toEqual([expect.stringContaining('out of order')]);
  });
});

describe('planted in the log', () => {
  test('a record that was confirmed and is not there', () => {
    const confirmed = [{ at: 0, n: 7, partition: 0, id: '1-1' }];
    expect(told(history({ confirmed }))).toEqual([
      'nothing is lost on the way in: record 7 was confirmed at 0/1-1, where there is nothing',
    ]);
  });

  test('a record twice', () => {
    const [first] = LOG;
    if (first === undefined) throw new Error('a log');
    const [violation] = check(history({ log: [...LOG, { ...first, id: '9999-0' }] })).violations;
    expect(violation?.what).toBe(
      `record ${first.n} is at ${first.partition}/${first.id} and at ${first.partition}/9999-0`,
    );
  });

  test('a dead letter', () => {
    const [entry] = entriesOf(4);
    const deadLetters = [{ partition: 4, original: entry?.id ?? '', error: 'planned failure' }];
    const { violations } = check(history({ deadLetters }));
    expect(violations.map(({ what }) => what)).toEqual([
      `record ${entry?.n} at 4/${entry?.id} is a dead letter: planned failure`,
    ]);
    expect(violations[0]?.evidence[0]).toContain(`record ${entry?.n} of ${entry?.key}: partition 4`);
  });
});

describe('planted in the processes', () => {
  test('one that ended by itself, and a job that did', () => {
    const incarnations = [
      { incarnation: 'worker-1#2', from: 0, killedAt: undefined, endedAt: 9, failure: 'code 1\nTypeError' },
    ];
    const failures = [{ incarnation: 'worker-0#1', at: 4, why: 'RS_LOG_ROLLED_BACK: …' }];
    expect(told(history({ incarnations, failures }))).toEqual([
      'processes live: worker-1#2 ended by itself',
      'processes live: the job in worker-0#1 ended by itself',
    ]);
  });
});
