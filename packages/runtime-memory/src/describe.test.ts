import { describe, expect, test } from '@jest/globals';
import { defineJob, outputTag, valueState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';

const late = outputTag<string>('late');

const job = defineJob((env) => {
  const words = env
    .addSource<string>({ run: () => undefined }, { name: 'words' })
    .map((v) => v, { name: 'clean' });
  const keyed = words.keyBy((v) => v, { uid: 'by-word' });
  keyed.getState(valueState('count', { schemaVersion: 2 }));
  const counts = keyed.window(TumblingWindow.of('1m')).sideOutputLateData(late).count({ uid: 'counts' });
  counts.addSink(() => undefined, { uid: 'out' });
  counts.getSideOutput(late).print();
});

describe('describe', () => {
  test('gives the graph of a job as data', () => {
    const description = StreamExecutionEnvironment.getExecutionEnvironment().describe(job);
    expect(JSON.parse(JSON.stringify(description))).toEqual({
      operators: [
        { id: 'source-0', kind: 'source', name: 'words', inputs: [], states: [] },
        { id: 'map-1', kind: 'map', name: 'clean', inputs: [{ id: 'source-0' }], states: [] },
        {
          id: 'by-word',
          kind: 'keyBy',
          name: 'keyBy',
          uid: 'by-word',
          inputs: [{ id: 'map-1' }],
          states: [{ name: 'count', kind: 'value', schemaVersion: 2 }],
        },
        {
          id: 'counts',
          kind: 'window',
          name: 'count',
          uid: 'counts',
          detail: 'tumbling(60000)',
          inputs: [{ id: 'by-word' }],
          states: [{ name: 'windows', kind: 'value', schemaVersion: 1 }],
        },
        { id: 'out', kind: 'sink', name: 'sink', uid: 'out', inputs: [{ id: 'counts' }], states: [] },
        {
          id: 'sink-5',
          kind: 'sink',
          name: 'print',
          inputs: [{ id: 'counts', sideOutput: 'late' }],
          states: [],
        },
      ],
    });
  });

  test('and as a Mermaid flowchart', () => {
    const flowchart = StreamExecutionEnvironment.getExecutionEnvironment().describe(job).toMermaid();
    expect(flowchart.split('\n')).toEqual([
      'flowchart LR',
      '  n0(["words"])',
      '  n1["clean"]',
      '  n2["keyBy"]',
      '  n3["count<br/>tumbling(60000)"]',
      '  n4(["sink"])',
      '  n5(["print"])',
      '  n0 --> n1',
      '  n1 --> n2',
      '  n2 --> n3',
      '  n3 --> n4',
      '  n3 -. late .-> n5',
    ]);
  });

  test('describes the sinks that were kept, before and after they ran, and runs nothing', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ eager: false });
    const out: number[] = [];
    env.fromElements(1).addSink((v) => void out.push(v));
    const kinds = () => env.describe().operators.map(({ kind }) => kind);
    expect(kinds()).toEqual(['source', 'sink']);
    expect(out).toEqual([]);
    await env.executeAsync();
    expect(kinds()).toEqual(['source', 'sink']);
  });

  test('a job without a sink, and an environment that kept none, have no graph', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    expect(() => env.describe()).toThrow(coded('RS_NO_SINK'));
    expect(() => env.describe(defineJob(() => undefined))).toThrow(coded('RS_NO_SINK'));
  });

  test.each([5, null, {}, () => undefined])('%p is no job', (value) => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    expect(() => env.describe(value as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
  });
});
