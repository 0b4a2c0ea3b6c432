import { describe, expect, test } from '@jest/globals';
import { type DataStream, type Message, outputTag } from '@rs/core';
import type { OperatorNode } from '../graph/node.ts';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

type Messages = DataStream<Message<unknown>>;

/** What the keyBys of a job say of how their records come to the partition of their key. */
function routingOf(
  declare: (env: TestEnvironment) => { addSink(sink: () => undefined): unknown },
): unknown[] {
  const env = new TestEnvironment();
  declare(env).addSink(() => undefined);
  return env
    .graph()
    .nodes.filter((node): node is OperatorNode => node.kind === 'keyBy')
    .map(({ routing }) => routing);
}

describe('keyBy', () => {
  test('says how its records come to the partition of their key', () => {
    const job = (colocated?: boolean) => (env: TestEnvironment) =>
      env
        .input<string>()
        .keyBy((value) => value, colocated === undefined ? {} : { colocated })
        .reduce((a) => a);
    expect([routingOf(job()), routingOf(job(false)), routingOf(job(true))]).toEqual([
      ['exchange'],
      ['exchange'],
      ['colocated'],
    ]);
    const byMessageKey = (env: TestEnvironment) =>
      env
        .fromMqTopic('t', 'g')
        .keyByMessageKey()
        .reduce((a) => a);
    expect(routingOf(byMessageKey)).toEqual(['messageKey']);
  });

  test.each(['yes', 1, null])('colocated cannot be %j', (colocated) => {
    const env = new TestEnvironment();
    const declared = () => env.input().keyBy((value) => value, { colocated: colocated as never });
    expect(errorOf(declared).code).toBe('RS_INVALID_ARGUMENT');
  });
});

describe('keyByMessageKey', () => {
  test.each<[string, (messages: Messages, env: TestEnvironment) => DataStream<unknown>]>([
    ['the source', (messages) => messages],
    ['map', (messages) => messages.map(() => 1)],
    ['filter', (messages) => messages.filter(() => true)],
    ['flatMap', (messages) => messages.flatMap(() => [1])],
    [
      'assignTimestampsAndWatermarks',
      (messages) =>
        messages.assignTimestampsAndWatermarks(() => ({
          onEvent: () => undefined,
          onPeriodicEmit: () => undefined,
        })),
    ],
    ['union of topics', (messages, env) => messages.union(env.fromMqTopic('other', 'g'))],
    ['union with itself', (messages) => messages.union(messages)],
  ])('has the key behind %s', (_what, through) => {
    const run = new JobRun((_input, env) =>
      through(env.fromMqTopic('t', 'g'), env)
        .keyByMessageKey()
        .process<unknown>((key, _value, _ctx, out) => out.collect(key)),
    );
    run.input(0).record('value', 1, 'ada');
    expect(new Set(run.output().values)).toEqual(new Set(['ada']));
  });

  test('has the key behind mapAsync', async () => {
    const run = new JobRun(
      (_input, env) =>
        env
          .fromMqTopic('t', 'g')
          .mapAsync(async () => 'later')
          .keyByMessageKey()
          .process<string>((key, value, _ctx, out) => out.collect(`${key} ${value}`)),
      { mode: 'async' },
    );
    run.input(0).record('value', 1, 'ada');
    await run.task.drained();
    expect(run.output().values).toEqual(['ada later']);
  });

  const tag = outputTag<string>('late');

  test.each<[string, string, (messages: Messages, env: TestEnvironment) => DataStream<unknown>]>([
    ['a source that is no topic', "source 'input'", (_messages, env) => env.input()],
    ['elements', "source 'elements'", (_messages, env) => env.fromElements(1).map((n) => n)],
    ['a union with one', "source 'input'", (messages, env) => messages.union(env.input())],
    ['process', 'process', (messages) => messages.keyBy(() => 1).process(() => undefined)],
    [
      'reduce',
      'reduce',
      (messages) =>
        messages
          .keyByMessageKey()
          .reduce((a) => a)
          .map(() => 1),
    ],
    [
      'a side output',
      'a side output of process',
      (messages) =>
        messages
          .keyBy(() => 1)
          .process(() => undefined)
          .getSideOutput(tag),
    ],
  ])('is refused behind %s', (_what, origin, through) => {
    const env = new TestEnvironment();
    const stream = through(env.fromMqTopic('t', 'g'), env);
    const error = errorOf(() => stream.keyByMessageKey());
    expect(error.code).toBe('RS_INVALID_ARGUMENT');
    expect(error.details).toEqual({ operation: 'keyByMessageKey', operator: origin });
  });

  test('a message without a key fails the task', () => {
    const run = new JobRun((_input, env) =>
      env
        .fromMqTopic('t', 'g')
        .keyByMessageKey({ uid: 'by-user' })
        .map(() => 1)
        .sum(),
    );
    const error = errorOf(() => run.input(0).record('value', 1, undefined));
    expect(error.code).toBe('RS_INVALID_KEY');
    expect(error.message).toMatch(/^keyBy 'by-user': a message in partition 0 has no key; /);
    expect(run.task.failed).toBe(true);
  });
});
