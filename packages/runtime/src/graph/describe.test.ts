import { describe, expect, test } from '@jest/globals';
import { aggregatingState, largeMapState, mapState, outputTag, reducingState, valueState } from '@rs/core';
import { CountTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { describeGraph } from './describe.ts';

const ignore = () => undefined;
const late = outputTag<{ key: string; amount: number }>('late');

function orders(): TestEnvironment {
  const env = new TestEnvironment();
  const keyed = env
    .input<{ key: string; amount: number }>('orders')
    .filter((order) => order.amount > 0, { name: 'amount > 0 & "real"' })
    .keyBy((order) => order.key, { uid: 'by-key' });
  keyed.getState(valueState('seen', { schemaVersion: 2 }));
  keyed.getMapState(mapState('totals'));
  const counted = keyed
    .window(TumblingWindow.of('1m'))
    .trigger(CountTrigger.of(2))
    .sideOutputLateData(late)
    .count({ uid: 'count' });
  counted.addSink(ignore, { name: 'counts' });
  counted.getSideOutput(late).addSink(ignore, { name: 'late orders' });
  return env;
}

describe('describeGraph', () => {
  test('is the graph as data, which is what JSON keeps of it', () => {
    const description = describeGraph(orders().graph());
    const operators = [
      { id: 'source-0', kind: 'source', name: 'orders', inputs: [], states: [] },
      {
        id: 'filter-1',
        kind: 'filter',
        name: 'amount > 0 & "real"',
        inputs: [{ id: 'source-0' }],
        states: [],
      },
      {
        id: 'by-key',
        kind: 'keyBy',
        name: 'keyBy',
        uid: 'by-key',
        inputs: [{ id: 'filter-1' }],
        states: [
          { name: 'seen', kind: 'value', schemaVersion: 2 },
          { name: 'totals', kind: 'map', schemaVersion: 1 },
        ],
      },
      {
        id: 'count',
        kind: 'window',
        name: 'count',
        uid: 'count',
        detail: 'tumbling(60000)',
        inputs: [{ id: 'by-key' }],
        states: [
          { name: 'windows', kind: 'value', schemaVersion: 1 },
          { name: 'trigger.count', kind: 'value', schemaVersion: 1 },
        ],
      },
      { id: 'sink-4', kind: 'sink', name: 'counts', inputs: [{ id: 'count' }], states: [] },
      {
        id: 'sink-5',
        kind: 'sink',
        name: 'late orders',
        inputs: [{ id: 'count', sideOutput: 'late' }],
        states: [],
      },
    ];
    expect(description.operators).toEqual(operators);
    expect(JSON.parse(JSON.stringify(description))).toEqual({ operators });
  });

  test('is a Mermaid flowchart', () => {
    expect(describeGraph(orders().graph()).toMermaid()).toBe(
      `
flowchart LR
  n0(["orders"])
  n1["amount &gt; 0 &amp; &quot;real&quot;"]
  n2["keyBy"]
  n3["count<br/>tumbling(60000)"]
  n4(["counts"])
  n5(["late orders"])
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n4
  n3 -. late .-> n5
`.trim(),
    );
  });

  test('a name of several lines does not break the chart', () => {
    const env = new TestEnvironment();
    env.input('two\r\nlines').addSink(ignore);
    expect(describeGraph(env.graph()).toMermaid().split('\n')).toEqual([
      'flowchart LR',
      '  n0(["two lines"])',
      '  n1(["sink"])',
      '  n0 --> n1',
    ]);
  });

  test('is the same for the same declarations', () => {
    const [a, b] = [describeGraph(orders().graph()), describeGraph(orders().graph())];
    expect(JSON.stringify(a)).toBe(JSON.stringify(b));
  });

  test('tells what the operators of the kernel store', () => {
    const env = new TestEnvironment();
    const keyed = env.input<number>('numbers').keyBy((n) => n);
    keyed.sum().addSink(ignore);
    keyed
      .window(SessionWindow.withGap(5))
      .apply<number>(() => undefined)
      .addSink(ignore);
    const { operators } = describeGraph(env.graph());
    const states = operators.map(({ kind, states: kept }) => [kind, kept.map(({ name }) => name)]);
    expect(states.filter(([, names]) => names !== undefined && names.length > 0)).toEqual([
      ['sum', ['accumulator']],
      ['window', ['windows', 'elements', 'sessions']],
    ]);
  });

  test('names the kinds of the declared states', () => {
    const env = new TestEnvironment();
    const keyed = env.input<number>().keyBy((n) => n);
    keyed.getReducingState(reducingState<number>('highest', { reduce: Math.max }));
    keyed.getAggregatingState(
      aggregatingState('mean', {
        aggregate: { createAccumulator: () => 0, add: (n: number, sum) => sum + n, getResult: (sum) => sum },
        schemaVersion: 3,
      }),
    );
    keyed.getLargeMapState(largeMapState('history'));
    keyed.process(() => undefined).addSink(ignore);
    expect(describeGraph(env.graph()).operators[1]?.states).toEqual([
      { name: 'highest', kind: 'reducing', schemaVersion: 1 },
      { name: 'mean', kind: 'aggregating', schemaVersion: 3 },
      { name: 'history', kind: 'largeMap', schemaVersion: 1 },
    ]);
  });
});
