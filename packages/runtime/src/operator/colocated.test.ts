import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import { newTask } from '../test-support/new-task.ts';
import { Recorder } from '../test-support/recorder.ts';
import { ColocatedKeyByOperator, MessageKeyOperator } from './colocated.ts';
import { routeText } from './exchange.ts';
import { Gate } from './gate.ts';

const PARTITIONS = 8;

/** An operator on one partition, and what it sends. */
function colocated(partition: number, partitions = PARTITIONS) {
  const task = newTask();
  const out = new Recorder();
  const selector = (value: { key: unknown }) => value.key;
  const gate = new Gate(task, "keyBy 'by'");
  const operator = new ColocatedKeyByOperator(gate, out, selector, undefined, { partition, partitions });
  return { operator, out, task };
}

const homeOf = (key: unknown) => partitionOf(routeText(key), PARTITIONS);

describe('a colocated keyBy', () => {
  test.each(['ada', 7, -1.5, 10n, true, ['a', 1], { b: 1, a: [2] }])(
    'lets %p through at its home only',
    (key) => {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        const { operator, out, task } = colocated(partition);
        const send = () => operator.record({ key }, 5, 'message key');
        if (partition === homeOf(key)) {
          send();
          expect(out.keys).toEqual([key]);
        } else {
          expect(errorOf(send).code).toBe('RS_NOT_COLOCATED');
          expect(out.records).toEqual([]);
          expect(task.failed).toBe(true);
        }
      }
    },
  );

  test('equal keys have one home, however they are written', () => {
    expect(homeOf({ a: 1, b: 2 })).toBe(homeOf({ b: 2, a: 1 }));
    const { operator, out } = colocated(homeOf({ a: 1, b: 2 }));
    operator.record({ key: { b: 2, a: 1 } }, 1, undefined);
    expect(out.records).toHaveLength(1);
  });

  test('names the key, its partition, and where it was found', () => {
    const home = homeOf('ada');
    const away = (home + 1) % PARTITIONS;
    const error = errorOf(() => colocated(away).operator.record({ key: 'ada' }, 1, undefined));
    expect(error.message).toBe(
      `keyBy 'by': the key "ada" belongs to partition ${home} of 8, but a record with it is in partition ${away}; ` +
        "leave out 'colocated', so that records are sent to the partition of their key",
    );
    expect(error.details).toEqual({
      operator: "keyBy 'by'",
      key: 'ada',
      belongsTo: home,
      foundIn: away,
      partitions: PARTITIONS,
    });
  });

  test('on one partition every key is at home', () => {
    const { operator, out } = colocated(0, 1);
    for (const key of ['a', 'b', 'c']) operator.record({ key }, 1, undefined);
    expect(out.keys).toEqual(['a', 'b', 'c']);
  });

  test('passes on everything about time', () => {
    const { operator, out } = colocated(3);
    operator.watermark(5);
    operator.status(true);
    operator.end();
    expect(out.trace).toEqual(['w5', 'idle', 'end']);
  });
});

describe('the key of a message', () => {
  test.each(['', 'ada', 'polygenelubricants'])('%j is the key of its record, at its home', (key) => {
    const out = new Recorder();
    const place = { partition: homeOf(key), partitions: PARTITIONS };
    new MessageKeyOperator(new Gate(newTask(), 'keyBy'), out, undefined, place).record('value', 5, key);
    expect([out.records, out.keys]).toEqual([[['value', 5]], [key]]);
  });

  test('somewhere else is an error', () => {
    const place = { partition: (homeOf('ada') + 1) % PARTITIONS, partitions: PARTITIONS };
    const operator = new MessageKeyOperator(new Gate(newTask(), 'keyBy'), new Recorder(), undefined, place);
    expect(errorOf(() => operator.record('value', 5, 'ada')).code).toBe('RS_NOT_COLOCATED');
  });
});
