import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import type { SourceNode } from '../graph/node.ts';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import type { SourceSpec } from './source-spec.ts';

const untyped = (value: unknown) => value as never;

/** What the engine is told to read. */
function specOf(declare: (env: TestEnvironment) => { addSink(sink: () => undefined): unknown }): SourceSpec {
  const env = new TestEnvironment();
  declare(env).addSink(() => undefined);
  return (env.graph().sources[0] as SourceNode).source as SourceSpec;
}

describe('sources', () => {
  test.each([null, undefined, 7, {}])('refuse %p', (bad) => {
    const env = new TestEnvironment();
    for (const step of [
      () => env.fromCollection(untyped(bad)),
      () => env.fromAsyncIterable(untyped(bad)),
      () => env.addSource(untyped(bad)),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
    }
  });

  test('point from one kind of iterable to the other', () => {
    const env = new TestEnvironment();
    async function* later() {
      yield 1;
    }
    expect(errorOf(() => env.fromCollection(untyped(later()))).message).toContain('use fromAsyncIterable');
    expect(errorOf(() => env.fromAsyncIterable(untyped([1]))).message).toContain('use fromCollection');
  });

  test('copy an array, and keep any other iterable to iterate it anew for each run', () => {
    const array = [1, 2];
    const spec = specOf((env) => env.fromCollection(array));
    array.push(3);
    expect(spec).toEqual({ type: 'iterable', iterable: [1, 2] });
    const set = new Set([1]);
    expect(specOf((env) => env.fromCollection(set))).toMatchObject({ type: 'iterable', iterable: set });
    expect(specOf((env) => env.fromElements(1, 2))).toEqual({ type: 'iterable', iterable: [1, 2] });
  });

  test('have names', () => {
    const env = new TestEnvironment();
    const source = { run: () => undefined };
    for (const stream of [
      env.fromElements(1),
      env.addSource(source),
      env.addSource(source, { name: 'orders' }),
    ]) {
      stream.addSink(() => undefined);
    }
    expect(env.graph().sources.map(({ name }) => name)).toEqual(['elements', 'source', 'orders']);
  });
});

describe('defaults', () => {
  test('of windows: no lateness, refire', () => {
    const { windowAllowedLateness, windowLatenessMode } = new TestEnvironment();
    expect([windowAllowedLateness, windowLatenessMode]).toEqual([0, 'refire']);
    const set = new TestEnvironment({ windowAllowedLateness: '2s', windowLatenessMode: 'postpone' });
    expect([set.windowAllowedLateness, set.windowLatenessMode]).toEqual([2000, 'postpone']);
  });

  test('are checked', () => {
    const make = (defaults: object) => () => new TestEnvironment({ logger: silentLogger, ...defaults });
    expect(errorOf(make({ windowAllowedLateness: -1 })).code).toBe('RS_INVALID_DURATION');
    expect(errorOf(make({ windowLatenessMode: 'sometimes' })).code).toBe('RS_INVALID_ARGUMENT');
    expect(errorOf(make({ windowAllowedLateness: null })).code).toBe('RS_INVALID_DURATION');
    expect(errorOf(make({ windowLatenessMode: null })).code).toBe('RS_INVALID_ARGUMENT');
    expect(errorOf(make({ watermarkOutOfOrderness: null })).code).toBe('RS_INVALID_DURATION');
  });
});
