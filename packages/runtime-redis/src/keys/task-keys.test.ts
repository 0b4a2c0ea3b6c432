import { describe, expect, test } from '@jest/globals';
import { slotOf } from '@rs/redis';
import fc from 'fast-check';
import { coded } from '../test-support/coded.ts';
import { TaskKeys } from './task-keys.ts';
import type { TaskPlace } from './task-place.ts';

const PLACE: TaskPlace = {
  prefix: 'rs',
  job: 'billing',
  task: 'source-0',
  topic: 'orders',
  partition: 6,
  topicShards: 4,
  group: 'bills',
  stateShards: 2,
};

test('the keys of a task', () => {
  const keys = new TaskKeys(PLACE);
  const state = keys.state('spend', 'trigger.count');
  expect({
    log: keys.log,
    holds: keys.holds,
    deadLetters: keys.deadLetters,
    own: keys.own,
    meta: keys.meta,
    ack: keys.ack,
    group: keys.group,
    hold: keys.hold,
    shards: state.shards,
    collection: state.collection('s:a'),
    index: state.index('s:a'),
    event: keys.timers('spend', 'event'),
    processing: keys.timers('spend', 'processing'),
    out: keys.out('sink-4'),
    kept: keys.kept('totals'),
  }).toEqual({
    log: 'rs:{orders#2}:p6',
    holds: 'rs:{orders#2}:p6:holds',
    deadLetters: 'rs:{orders#2}:p6:dlq',
    own: 'rs:{orders#2}:p6:t:billing:source-0:own',
    meta: 'rs:{orders#2}:p6:t:billing:source-0:meta',
    ack: 'rs:{orders#2}:p6:t:billing:source-0:ack',
    group: 'rs:{orders#2}:p6:g:bills',
    hold: 't:billing:source-0',
    shards: [
      'rs:{orders#2}:p6:t:billing:source-0:s:spend:trigger.count:0',
      'rs:{orders#2}:p6:t:billing:source-0:s:spend:trigger.count:1',
    ],
    collection: 'rs:{orders#2}:p6:t:billing:source-0:m:spend:trigger.count:s:a',
    index: 'rs:{orders#2}:p6:t:billing:source-0:mx:spend:trigger.count:s:a',
    event: [
      'rs:{orders#2}:p6:t:billing:source-0:et:spend:0',
      'rs:{orders#2}:p6:t:billing:source-0:et:spend:1',
    ],
    processing: [
      'rs:{orders#2}:p6:t:billing:source-0:pt:spend:0',
      'rs:{orders#2}:p6:t:billing:source-0:pt:spend:1',
    ],
    out: 'rs:{orders#2}:p6:t:billing:source-0:out:sink-4',
    kept: 'rs:{orders#2}:p6:k:billing:totals',
  });
});

test('are built once', () => {
  const keys = new TaskKeys(PLACE);
  expect(keys.state('a', 'b')).toBe(keys.state('a', 'b'));
  expect(keys.timers('a', 'event')).toBe(keys.timers('a', 'event'));
});

test.each<Partial<TaskPlace>>([
  { job: 'a:b' },
  { task: '{x}' },
  { group: '' },
  { topic: 'a b' },
  { prefix: '{' },
])('refused: %p', (parts) => {
  expect(() => new TaskKeys({ ...PLACE, ...parts })).toThrow(coded('RS_INVALID_NAME'));
});

describe('properties', () => {
  const name = fc.constantFrom(
    'own',
    'meta',
    's',
    'm',
    'mx',
    'et',
    'out',
    'a',
    'a:b',
    'b',
    '0',
    '1',
    '%',
    'ä',
    'a:0',
  );
  const place = fc.record({
    job: fc.constantFrom('a', 's', 'own'),
    task: fc.constantFrom('a', 't', 'meta'),
    partition: fc.constantFrom(0, 4),
  });

  test('two uses never share a key, and all lie in one slot', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(place, { maxLength: 3, selector: (each) => JSON.stringify(each) }),
        fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
        (places, operators, states) => {
          const uses = places.flatMap((parts) => {
            const keys = new TaskKeys({ ...PLACE, ...parts });
            return [
              keys.own,
              keys.meta,
              keys.ack,
              ...operators.flatMap((operator) => [
                keys.out(operator),
                ...keys.timers(operator, 'event'),
                ...keys.timers(operator, 'processing'),
                ...states.flatMap((state) => {
                  const own = keys.state(operator, state);
                  return [
                    ...own.shards,
                    ...states.flatMap((each) => [own.collection(each), own.index(each)]),
                  ];
                }),
              ]),
            ];
          });
          expect(new Set(uses).size).toBe(uses.length);
          expect(new Set(uses.map(slotOf)).size).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});
