import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { type SubscriptionOptions, topic } from '@rs/core';
import { describeGraph } from '../graph/describe.ts';
import type { SourceNode } from '../graph/node.ts';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const ignore = () => undefined;
const untyped = (value: unknown) => value as never;
const orders = topic<string>('orders');

/** Ways to subscribe to a topic. */
const DECLARE: Record<
  string,
  (env: TestEnvironment, name: string, group: string, options?: SubscriptionOptions) => unknown
> = {
  fromMqTopic: (env, name, group, options) => env.fromMqTopic(name, group, options),
  fromMqTopicWithId: (env, name, group, options) => env.fromMqTopicWithId('id', name, group, options),
  fromTopic: (env, name, group, options) => env.fromTopic({ ...orders, name }, group, options),
};
const METHODS = Object.keys(DECLARE);

function declare(method: string, name: string, group: string, options?: SubscriptionOptions): unknown {
  return DECLARE[method]?.(new TestEnvironment(), name, group, options);
}

/** What the engine is told to read. */
function specOf(options?: SubscriptionOptions): unknown {
  const env = new TestEnvironment();
  env.fromMqTopic('orders', 'billing', options).addSink(ignore);
  return (env.graph().sources[0] as SourceNode).source;
}

describe('a topic source', () => {
  test('tells the engine what to read', () => {
    expect(specOf()).toEqual({ type: 'topic', topic: 'orders', group: 'billing', options: {} });
    expect(specOf({ until: 'now', batchCount: 7 })).toMatchObject({
      options: { until: 'now', batchCount: 7 },
    });
  });

  test('keeps a copy of its options', () => {
    const until = { 0: '1-0' };
    const spec = specOf({ until });
    until[0] = '2-0';
    expect(spec).toMatchObject({ options: { until: { 0: '1-0' } } });
  });

  test('is read by people as topic, group and time', () => {
    const env = new TestEnvironment({ watermarkOutOfOrderness: '5s' });
    env
      .fromTopic(orders, 'billing')
      .keyByMessageKey()
      .reduce((a) => a)
      .addSink(ignore);
    const { operators, toMermaid } = describeGraph(env.graph());
    expect(operators.map(({ id, kind, name, detail }) => [id, kind, name, detail])).toEqual([
      ['source-0', 'source', 'orders', 'group billing'],
      ['timestamps-1', 'timestamps', 'message time', 'out of order by 5000 ms'],
      ['map-2', 'map', 'values of orders', undefined],
      ['keyBy-3', 'keyBy', 'keyByMessageKey', undefined],
      ['reduce-4', 'reduce', 'reduce', undefined],
      ['sink-5', 'sink', 'sink', undefined],
    ]);
    expect(toMermaid()).toContain('n0(["orders<br/>group billing"])');
  });

  test('with an id has that as its uid, and its time has one from it', () => {
    const env = new TestEnvironment();
    env.fromMqTopicWithId('the-orders', 'orders', 'billing').addSink(ignore);
    const ids = describeGraph(env.graph()).operators.map(({ id, uid }) => [id, uid]);
    expect(ids).toEqual([
      ['the-orders', 'the-orders'],
      ['the-orders.time', 'the-orders.time'],
      ['sink-2', undefined],
    ]);
  });

  test('raises time by its messages', () => {
    const run = new JobRun((_input, env) => env.fromMqTopic('orders', 'billing'), {
      environment: { watermarkOutOfOrderness: 10 },
    });
    const head = run.input(0);
    head.record('a', 100, 'key of a');
    head.record('b', 50, 'key of b');
    head.record('c', 200, undefined);
    expect(run.output().trace).toEqual(['w89', 'a@100', 'b@50', 'w189', 'c@200']);
    expect(run.output().keys).toEqual(['key of a', 'key of b', undefined]);
  });
});

describe.each(METHODS)('%s refuses', (method) => {
  test.each(['', 'a b', 'a:b', 'x'.repeat(129), undefined])('the name %j', (name) => {
    expect(errorOf(() => declare(method, untyped(name), 'g')).code).toMatch(/RS_INVALID_(NAME|ARGUMENT)/);
    expect(errorOf(() => declare(method, 'orders', untyped(name))).code).toBe('RS_INVALID_NAME');
  });

  test.each<[string, unknown]>([
    ['no object', null],
    ['a text', 'now'],
    ['an unknown end', { until: 'later' }],
    ['no end', { until: null }],
    ['a number', { until: 5 }],
    ['a list', { until: [] }],
    ['a date', { until: new Date(0) }],
    ['a map', { until: new Map([[0, '1-0']]) }],
    ['a partition that is none', { until: { first: '1-0' } }],
    ['a partition with a zero before it', { until: { '01': '1-0' } }],
    ['an id that is none', { until: { 0: '1' } }],
    ['an id that is a number', { until: { 0: 1 } }],
    ['no messages at once', { batchCount: 0 }],
    ['half a message at once', { batchCount: 1.5 }],
    ['messages in a text', { batchCount: '10' }],
  ])('as options: %s', (_what, options) => {
    const error = errorOf(() => declare(method, 'orders', 'g', untyped(options)));
    expect(error.code).toBe('RS_INVALID_ARGUMENT');
    expect(error.message).toMatch(new RegExp(`^${method}: `));
  });
});

test.each(['fromMqTopic', 'fromMqTopicWithId'])('%s points to fromTopic for a topic', (method) => {
  const error = errorOf(() => declare(method, untyped(topic('orders')), 'g'));
  expect([error.code, error.message]).toEqual([
    'RS_INVALID_ARGUMENT',
    `${method} takes the name of a topic, but got the topic 'orders' itself; use fromTopic(topic, group) for its values, or pass its name`,
  ]);
});

test('ids of an object without prototype, or of another realm, are taken', () => {
  const [bare, foreign] = [Object.create(null), runInNewContext('({})')] as Record<number, string>[];
  for (const until of [bare, foreign]) {
    if (until === undefined) throw new Error('there are two');
    until[0] = '3-0';
    expect(() => declare('fromMqTopic', 'orders', 'g', { until })).not.toThrow();
  }
});

describe('fromTopic', () => {
  test.each([undefined, null, 'orders', {}])('refuses %j', (bad) => {
    expect(errorOf(() => new TestEnvironment().fromTopic(untyped(bad), 'g')).code).toBe(
      'RS_INVALID_ARGUMENT',
    );
  });
});

describe('fromMqTopicWithId', () => {
  test.each(['', 'a b', 'x'.repeat(124), undefined])('refuses the id %j', (id) => {
    const declared = () => new TestEnvironment().fromMqTopicWithId(untyped(id), 'orders', 'g');
    expect(errorOf(declared).code).toBe('RS_INVALID_NAME');
  });

  test('refuses an id that another source has', () => {
    const env = new TestEnvironment();
    env.fromMqTopicWithId('id', 'orders', 'g');
    const error = errorOf(() => env.fromMqTopicWithId('id', 'refunds', 'g'));
    expect(error.code).toBe('RS_DUPLICATE_UID');
    expect(error.details).toEqual({ uid: 'id', topics: ['orders', 'refunds'] });
  });

  test('an id that an operator has is refused when the job is built', () => {
    const env = new TestEnvironment();
    env
      .fromMqTopicWithId('id', 'orders', 'g')
      .keyBy(() => 1, { uid: 'id' })
      .sum(() => 1)
      .addSink(ignore);
    expect(errorOf(() => env.graph()).code).toBe('RS_DUPLICATE_UID');
  });
});

describe('two subscriptions with one topic and group', () => {
  const pairs = METHODS.flatMap((first) => METHODS.map((second) => [first, second] as const));

  test.each(pairs.filter(([a, b]) => a !== b || a !== 'fromMqTopicWithId'))('%s and %s', (first, second) => {
    const env = new TestEnvironment();
    DECLARE[first]?.(env, 'orders', 'billing');
    const error = errorOf(() => DECLARE[second]?.(env, 'orders', 'billing', { until: 'now' }));
    expect(error.code).toBe('RS_DUPLICATE_SUBSCRIPTION');
    const shown = (method: string) =>
      method === 'fromMqTopicWithId'
        ? `${method}('id', 'orders', 'billing')`
        : `${method}('orders', 'billing')`;
    expect(error.details).toEqual({
      topic: 'orders',
      group: 'billing',
      subscriptions: [shown(first), shown(second)],
    });
    expect(error.message).toContain(`by ${shown(first)} and by ${shown(second)}`);
  });

  test('are two when group or topic differ, or the environment does', () => {
    const env = new TestEnvironment();
    env.fromMqTopic('orders', 'billing');
    env.fromMqTopic('orders', 'audit');
    env.fromMqTopic('refunds', 'billing');
    expect(() => new TestEnvironment().fromMqTopic('orders', 'billing')).not.toThrow();
  });

  test('a declaration that failed counts for nothing', () => {
    const env = new TestEnvironment();
    errorOf(() => env.fromMqTopic('orders', 'billing', { batchCount: 0 }));
    errorOf(() => env.fromMqTopicWithId('x'.repeat(124), 'orders', 'billing'));
    expect(() => env.fromMqTopic('orders', 'billing')).not.toThrow();
  });
});
