import { expect, test } from '@jest/globals';
import { TaskKeys } from '../../keys/task-keys.ts';
import { coded } from '../../test-support/coded.ts';
import { sinkKeys } from './sink-keys.ts';

test('the keys of a sink are those that its tasks write to', () => {
  const topic = { name: 'orders', partitions: 3, shards: 2 };
  const keys = sinkKeys(topic, { job: 'billing', sink: 'totals', prefix: 'app' });
  expect(keys).toEqual(
    [0, 1, 2].map((partition) =>
      new TaskKeys({
        prefix: 'app',
        job: 'billing',
        task: 'source-0',
        topic: 'orders',
        topicShards: 2,
        partition,
        group: 'g',
        stateShards: 16,
      }).kept('totals'),
    ),
  );
  expect(sinkKeys(topic, { job: 'billing', sink: 'totals' })[2]).toBe('rs:{orders#0}:p2:k:billing:totals');
  expect(() => sinkKeys(topic, { job: 'a:b', sink: 'totals' })).toThrow(coded('RS_INVALID_NAME'));
  expect(() => sinkKeys(topic, { job: 'a', sink: '' })).toThrow(coded('RS_INVALID_NAME'));
});

test.each<[string, unknown, unknown]>([
  ['no topic', undefined, { job: 'a', sink: 's' }],
  ['the name of a topic', 'orders', { job: 'a', sink: 's' }],
  ['a topic without its partitions', { name: 'orders' }, { job: 'a', sink: 's' }],
  ['no options', { name: 'orders', partitions: 1, shards: 1 }, undefined],
  ['an unknown option', { name: 'orders', partitions: 1, shards: 1 }, { job: 'a', sink: 's', prefiks: 'x' }],
])('%s is refused', (_, topic, options) => {
  expect(() => sinkKeys(topic as never, options as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
});
