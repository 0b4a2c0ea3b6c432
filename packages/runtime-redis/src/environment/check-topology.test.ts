import { describe, expect, test } from '@jest/globals';
import { silentLogger, type StreamEnvironment } from '@rs/core';
import { coded, thrownBy } from '../test-support/coded.ts';
import { graphOf, topologyOf } from '../test-support/declared.ts';
import { checkTopology, checkUids } from './check-topology.ts';

const ignore = (): undefined => undefined;

describe('what can be run', () => {
  test.each<[string, number, (env: StreamEnvironment) => void]>([
    [
      'a stateless job',
      4,
      (env) =>
        env
          .fromMqTopic('t', 'g')
          .map((m) => m.value)
          .addSink(ignore),
    ],
    [
      'keys of messages',
      4,
      (env) =>
        env
          .fromMqTopic('t', 'g')
          .keyByMessageKey()
          .map(() => 1)
          .sum()
          .addSink(ignore),
    ],
    [
      'colocated keys',
      4,
      (env) =>
        env
          .fromMqTopic('t', 'g')
          .keyBy((m) => String(m.key), { colocated: true })
          .map(() => 1)
          .sum()
          .addSink(ignore),
    ],
    [
      'any keys of one partition',
      1,
      (env) =>
        env
          .fromMqTopic('t', 'g')
          .keyBy(() => 'k')
          .map(() => 1)
          .sum()
          .addSink(ignore),
    ],
    [
      'several jobs in one',
      4,
      (env) => {
        env.fromMqTopic('t', 'g').addSink(ignore);
        env.fromMqTopic('u', 'g').addSink(ignore);
      },
    ],
    [
      'a stream that is merged with itself',
      4,
      (env) => {
        const stream = env.fromMqTopic('t', 'g');
        stream
          .map((m) => m)
          .union(stream)
          .addSink(ignore);
      },
    ],
  ])('%s', (_, partitions, define) => {
    expect(() => checkTopology(topologyOf(define, partitions))).not.toThrow();
  });
});

describe('refused', () => {
  test('an exchange, with the keyBy that would send', () => {
    const topology = topologyOf(
      (env) =>
        env
          .fromMqTopic('t', 'g')
          .keyBy(() => 'k', { uid: 'mine' })
          .map(() => 1)
          .sum()
          .addSink(ignore),
      4,
    );
    const error = thrownBy(() => checkTopology(topology), 'RS_UNSUPPORTED');
    expect(error.message).toMatch(
      /^keyBy 'mine' sends records of 4 partitions.*keyByMessageKey\(\).*colocated/,
    );
    expect(error.details).toEqual({ operator: "keyBy 'mine'", partitions: 4 });
  });

  test('two inputs, with the operator that reads them', () => {
    const topology = topologyOf((env) =>
      env.fromMqTopic('t', 'g').union(env.fromMqTopic('u', 'g')).addSink(ignore),
    );
    expect(thrownBy(() => checkTopology(topology), 'RS_UNSUPPORTED').message).toMatch(
      /^union reads 2 sources \(t, u\)/,
    );
  });
});

describe('operators that keep something and have no uid', () => {
  const define = (uid: boolean) => (env: StreamEnvironment) => {
    const source = uid ? env.fromMqTopicWithId('source', 't', 'g') : env.fromMqTopic('t', 'g');
    const options = (name: string) => (uid ? { uid: name } : {});
    source
      .keyByMessageKey(options('by'))
      .map(() => 1)
      .sum(undefined, options('sum'))
      .addSink(ignore, options('sink'));
  };

  test('are warned of once', () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (facts: object) => void warnings.push(facts) };
    checkUids(graphOf(define(false)), false, logger);
    expect(warnings).toEqual([{ operators: ['sum', 'sink'] }]);
    checkUids(graphOf(define(true)), false, logger);
    expect(warnings).toHaveLength(1);
  });

  test('a source is one of them unless it is the first, which is where it is whatever comes behind', () => {
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (facts: object) => void warnings.push(facts) };
    const two = graphOf((env) => {
      env.fromMqTopic('t', 'g').addSink(ignore, { uid: 'one' });
      env.fromMqTopic('u', 'g').addSink(ignore, { uid: 'two' });
    });
    checkUids(two, false, logger);
    expect(warnings).toEqual([{ operators: ["source 'u'"] }]);
  });

  test('are refused where that is wanted', () => {
    expect(() => checkUids(graphOf(define(false)), true, silentLogger)).toThrow(
      coded('RS_INVALID_ARGUMENT', { details: { operators: ['sum', 'sink'] } }),
    );
    expect(() => checkUids(graphOf(define(true)), true, silentLogger)).not.toThrow();
  });
});
