import { describe, expect, test } from '@jest/globals';
import { topic } from '@rs/core';
import type { ConformanceCase } from '../../case.ts';
import { type Event, events, eventsOf } from '../../input.ts';
import { aVariant } from '../../test-support/fakes.ts';
import { staysInPartitions } from './supported.ts';

const OTHERS = topic<Event>('others');

function supported(partitions: number, define: ConformanceCase['define'], others?: number): boolean {
  const topics = others === undefined ? {} : { others };
  return staysInPartitions(aVariant(partitions, { input: events('a@1'), topics, define }));
}

describe('the engine on Redis runs', () => {
  test('everything that stays in one partition', () => {
    const byKey: ConformanceCase['define'] = (env, sink) =>
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .sum(({ amount }) => amount),
      );
    expect([supported(1, byKey), supported(4, byKey)]).toEqual([true, false]);
  });

  test('keys that are where their messages are', () => {
    const byMessageKey: ConformanceCase['define'] = (env, sink) =>
      sink(
        'out',
        eventsOf(env)
          .keyByMessageKey()
          .sum(({ amount }) => amount),
      );
    expect(supported(4, byMessageKey)).toBe(true);
  });

  test('several topics, unless they meet', () => {
    const apart: ConformanceCase['define'] = (env, sink) => {
      sink('out', eventsOf(env));
      sink('others', eventsOf(env, OTHERS));
    };
    const together: ConformanceCase['define'] = (env, sink) =>
      sink('out', eventsOf(env).union(eventsOf(env, OTHERS)));
    expect([supported(1, apart, 1), supported(1, together, 1)]).toEqual([true, false]);
  });

  test('what no engine can run, as far as to its error', () => {
    const connected: ConformanceCase['define'] = (env, sink) =>
      sink(
        'out',
        eventsOf(env)
          .keyByMessageKey()
          .connect(eventsOf(env, OTHERS).keyByMessageKey())
          .process<string>({
            processElement1: (key, _event, _ctx, out) => out.collect(key),
            processElement2: (key, _event, _ctx, out) => out.collect(key),
          }),
      );
    expect([supported(4, connected, 3), supported(4, connected, 4)]).toEqual([true, false]);
  });
});
