import { describe, expect, test } from '@jest/globals';
import { isRsError, outputTag } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { buildGraph } from './graph.ts';
import { type GraphNode, labelOf, type NodeInput, type OperatorNode, type SinkNode } from './node.ts';

const ignore = () => undefined;

function idsOf(env: TestEnvironment): string[] {
  const graph = env.graph();
  return graph.nodes.map((node) => graph.operatorId(node));
}

describe('buildGraph', () => {
  test('refuses a job without a sink', () => {
    expect(() => buildGraph([])).toThrow(expect.objectContaining({ code: 'RS_NO_SINK' }));
    const env = new TestEnvironment();
    env.input().map((value) => value);
    expect(() => env.graph()).toThrow(expect.objectContaining({ code: 'RS_NO_SINK' }));
  });

  test('refuses a cycle, which no stream can be but a node made by hand can', () => {
    const env = new TestEnvironment();
    env.input<number>().addSink(ignore);
    const [sink] = env.sinks as [SinkNode];
    const inputs: NodeInput[] = [];
    const node: OperatorNode = {
      kind: 'map',
      name: 'round',
      uid: undefined,
      declared: 1,
      inputs,
      create: () => ({ inputs: [] }),
    };
    inputs.push({ node, tag: undefined });
    const closed: SinkNode = { ...sink, declared: 2, inputs: [{ node, tag: undefined }] };
    expect(() => buildGraph([closed])).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_ARGUMENT',
        details: { operator: "map 'round'", input: "map 'round'" },
      }),
    );
  });

  test('holds what the sinks depend on, inputs before their readers, in the order of declaration', () => {
    const env = new TestEnvironment();
    const input = env.input<number>('in');
    const unused = input.map((value) => value);
    const doubled = input.map((value) => value * 2, { name: 'double' });
    const other = env.input<number>('other');
    doubled.union(other).addSink(ignore, { name: 'second' });
    input.addSink(ignore, { name: 'first' });
    unused.map((value) => value);
    const { nodes, sources, sinks } = buildGraph(env.sinks.toReversed());
    expect(nodes.map(labelOf)).toEqual([
      "source 'in'",
      "map 'double'",
      "source 'other'",
      'union',
      "sink 'second'",
      "sink 'first'",
    ]);
    expect(sources.map(({ name }) => name)).toEqual(['in', 'other']);
    expect(sinks.map(({ name }) => name)).toEqual(['second', 'first']);
  });

  test('a node read by several sinks stands in it once', () => {
    const env = new TestEnvironment();
    const shared = env.input<number>().map((value) => value);
    for (let i = 0; i < 3; i++) shared.addSink(ignore);
    expect(idsOf(env)).toEqual(['source-0', 'map-1', 'sink-2', 'sink-3', 'sink-4']);
  });

  test('knows the readers of each output, and by which input they read', () => {
    const env = new TestEnvironment();
    const late = outputTag<number>('late');
    const source = env.input<number>();
    const windowed = source
      .keyBy(() => 'k')
      .window(TumblingWindow.of(10))
      .sideOutputLateData(late)
      .count();
    const side = windowed.getSideOutput(late);
    const both = windowed.union(side, windowed);
    both.addSink(ignore);
    const graph = env.graph();
    const window = graph.nodes.find(({ kind }) => kind === 'window') as GraphNode;
    const union = graph.nodes.find(({ kind }) => kind === 'union') as GraphNode;
    expect(graph.readersOf(window, undefined)).toEqual([
      { reader: union, input: 0 },
      { reader: union, input: 2 },
    ]);
    expect(graph.readersOf(window, 'late')).toEqual([{ reader: union, input: 1 }]);
    expect(graph.tagsOf(window)).toEqual(['late']);
    expect(graph.tagsOf(union)).toEqual([]);
    expect(graph.readersOf(union, 'late')).toEqual([]);
  });
});

describe('operator ids', () => {
  test('are the uid, else kind and place', () => {
    const env = new TestEnvironment();
    env
      .input<number>()
      .keyBy((value) => value, { uid: 'by-value' })
      .sum()
      .addSink(ignore, { uid: 'out' });
    expect(idsOf(env)).toEqual(['source-0', 'by-value', 'sum-2', 'out']);
  });

  test('a uid that looks like a derived id is left to its owner', () => {
    const env = new TestEnvironment();
    env
      .input<number>()
      .map((value) => value)
      .keyBy((value) => value, { uid: 'map-1' })
      .sum(undefined, { uid: '_map-1' })
      .addSink(ignore);
    const ids = idsOf(env);
    expect(ids).toEqual(['source-0', '__map-1', 'map-1', '_map-1', 'sink-4']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the same uid twice is an error that names both operators', () => {
    const env = new TestEnvironment();
    const keyed = env.input<number>().keyBy((value) => value);
    keyed.sum(undefined, { uid: 'total', name: 'sums' }).addSink(ignore);
    keyed.reduce((a) => a, { uid: 'total' }).addSink(ignore);
    let caught: unknown;
    try {
      env.graph();
    } catch (error) {
      caught = error;
    }
    expect(isRsError(caught, 'RS_DUPLICATE_UID') && caught.message).toContain(
      "uid 'total' is used by two operators, a sum and a reduce",
    );
    expect(isRsError(caught) && caught.details).toEqual({
      uid: 'total',
      operators: ["sum 'total'", "reduce 'total'"],
    });
  });

  test('a uid may be used in two graphs of one environment', () => {
    const env = new TestEnvironment();
    const keyed = env.input<number>().keyBy((value) => value);
    keyed.sum(undefined, { uid: 'total' }).addSink(ignore);
    keyed.max(undefined, { uid: 'total' }).addSink(ignore);
    for (const sink of env.sinks) expect(() => buildGraph([sink])).not.toThrow();
  });
});

describe('labelOf', () => {
  test('is the operation with what the user called it', () => {
    const env = new TestEnvironment();
    const labels = [
      env.input<number>().map((value) => value),
      env.input<number>().map((value) => value, { name: 'clean' }),
      env
        .input<number>()
        .keyBy((value) => value, { uid: 'k', name: 'by value' })
        .sum(),
    ];
    for (const stream of labels) stream.addSink(ignore);
    expect(env.sinks.map(({ inputs }) => inputs.map(({ node }) => labelOf(node)))).toEqual([
      ['map'],
      ["map 'clean'"],
      ['sum'],
    ]);
    expect(
      env
        .graph()
        .nodes.filter(({ kind }) => kind === 'keyBy')
        .map(labelOf),
    ).toEqual(["keyBy 'k'"]);
  });

  test('is the method that was called where the kind is a word of the graph alone', () => {
    const env = new TestEnvironment();
    const pair = env.input<number>().connect(env.input<number>());
    const both = pair.keyBy((value) => value, (value) => value); // prettier-ignore
    const nothing = { processElement1: ignore, processElement2: ignore };
    for (const stream of [
      pair.process(nothing),
      pair.map(ignore, ignore),
      pair.flatMap(() => [], () => [], { name: 'parts' }), // prettier-ignore
      both.process(nothing, { uid: 'p' }),
      env.input<number>().keyBy((value) => value).map((value) => value).process(ignore), // prettier-ignore
    ]) {
      stream.addSink(ignore);
    }
    const graph = env.graph();
    const labels = graph.nodes.map((node) => [node.kind, labelOf(node)]);
    expect(labels.filter(([kind]) => kind === 'coProcess' || kind === 'keyedMap')).toEqual([
      ['coProcess', 'process'],
      ['coProcess', 'map'],
      ['coProcess', "flatMap 'parts'"],
      ['coProcess', "process 'p'"],
      ['keyedMap', 'map'],
    ]);
    expect(new Set(graph.nodes.map((node) => graph.operatorId(node))).size).toBe(graph.nodes.length);
  });
});
