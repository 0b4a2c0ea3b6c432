import { describe, expect, test } from '@jest/globals';
import { mapState } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { planTopology, type Topology } from './topology.ts';

const ignore = () => undefined;
const both = { processElement1: ignore, processElement2: ignore };
const rules = { processElement: ignore, processBroadcastElement: ignore };
const same = (value: string) => value;

/** Each source has the number of partitions that its name ends with. */
function topologyOf(define: (env: TestEnvironment) => void): Topology {
  const env = new TestEnvironment();
  define(env);
  return planTopology(env.graph(), ({ name }) => Number(/\d+$/.exec(name)?.[0] ?? 1));
}

function stagesOf(define: (env: TestEnvironment) => void): string[] {
  return topologyOf(define).stages.map((stage) => {
    const nodes = stage.nodes.map(({ name }) => name).join(' ');
    const received = stage.received.map(
      ({ node, routing, senders, receivers }) => ` <- ${node.name} ${routing} ${senders}>${receivers}`,
    );
    return `${stage.partitions}: ${nodes}${received.join('')}`;
  });
}

describe('connected keyed streams', () => {
  test('on one partition are one stage', () => {
    const stages = stagesOf((env) => {
      const [left, right] = [env.input<string>('a'), env.input<string>('b')];
      left
        .keyBy(same, { name: 'ka' })
        .connect(right.keyBy(same, { name: 'kb' }))
        .process(both)
        .addSink(ignore);
    });
    expect(stages).toEqual(['1: a b ka kb connect process sink']);
  });

  test('are sent to as many partitions as the larger one has', () => {
    const stages = stagesOf((env) => {
      const [left, right] = [env.input<string>('a4'), env.input<string>('b2')];
      left
        .keyBy(same, { name: 'ka' })
        .connect(right.keyBy(same, { name: 'kb' }))
        .process(both)
        .addSink(ignore);
    });
    expect(stages).toEqual([
      '4: a4 ka',
      '2: b2 kb',
      '4: connect process sink <- ka exchange 4>4 <- kb exchange 2>4',
    ]);
  });

  test('with a window are no different', () => {
    const stages = stagesOf((env) => {
      env
        .input<string>('a2')
        .keyBy(same, { name: 'ka' })
        .cogroup(env.input<string>('b').keyBy(same, { name: 'kb' }))
        .window(TumblingWindow.of(1))
        .apply(ignore, { name: 'w' })
        .addSink(ignore);
    });
    expect(stages).toEqual([
      '2: a2 ka',
      '1: b kb',
      '2: cogroup w sink <- ka exchange 2>2 <- kb exchange 1>2',
    ]);
  });

  test('are sent to the partitions of the one whose records stay where they are', () => {
    const stages = stagesOf((env) => {
      env
        .input<string>('a2')
        .keyBy(same, { name: 'ka', colocated: true })
        .connect(env.input<string>('b4').keyBy(same, { name: 'kb' }))
        .process(both)
        .addSink(ignore);
    });
    expect(stages).toEqual([
      '2: a2 ka',
      '4: b4 kb',
      '2: connect process sink <- ka forward 1>2 <- kb exchange 4>2',
    ]);
  });

  test('whose records both stay need no exchange where they have equal partitions', () => {
    const stages = stagesOf((env) => {
      env
        .input<string>('a4')
        .keyBy(same, { name: 'ka', colocated: true })
        .connect(env.input<string>('b4').keyBy(same, { name: 'kb', colocated: true }))
        .process(both)
        .addSink(ignore);
    });
    expect(stages).toEqual(['4: a4 ka b4 kb connect process sink']);
  });

  test('and are refused where they have not', () => {
    const error = errorOf(() =>
      topologyOf((env) => {
        env
          .input<string>('a4')
          .keyBy(same, { name: 'ka', colocated: true })
          .connect(env.input<string>('b2').keyBy(same, { name: 'kb', colocated: true }))
          .process(both)
          .addSink(ignore);
      }),
    );
    expect([error.code, error.details]).toMatchObject([
      'RS_NOT_COPARTITIONED',
      {
        inputs: [
          { name: "source 'a4'", partitions: 4 },
          { name: "source 'b2'", partitions: 2 },
        ],
      },
    ]);
  });
});

describe('connected streams without keys', () => {
  test('are one stage, in which a partition may have one of them only', () => {
    const stages = stagesOf((env) => {
      env.input<string>('a4').connect(env.input<string>('b2')).process(both).addSink(ignore);
    });
    expect(stages).toEqual(['4: a4 b2 process sink']);
  });
});

describe('a broadcast stream', () => {
  const limits = mapState<string, string>('limits');

  test('is copied to each partition of the stream it is connected to', () => {
    const stages = stagesOf((env) => {
      const shared = env.input<string>('r2').broadcast(limits);
      env.input<string>('a4').connect(shared).process(rules).addSink(ignore);
    });
    expect(stages).toEqual(['2: r2 broadcast', '4: a4 process sink <- broadcast broadcast 2>4']);
  });

  test('decides on no partition of the keyed stream that it is connected to', () => {
    const stages = stagesOf((env) => {
      const counted = env
        .input<string>('r8')
        .keyBy(same, { name: 'kr' })
        .reduce((a) => a);
      env
        .input<string>('a2')
        .keyBy(same, { name: 'ka' })
        .connect(counted.broadcast(limits))
        .process(rules)
        .addSink(ignore);
    });
    expect(stages.at(-1)).toBe('2: connect process sink <- ka exchange 2>2 <- broadcast broadcast 8>2');
  });

  test('needs no exchange on one partition', () => {
    const stages = stagesOf((env) => {
      const shared = env.input<string>('r').broadcast(limits);
      env.input<string>('a').connect(shared).process(rules).addSink(ignore);
    });
    expect(stages).toEqual(['1: r broadcast a process sink']);
  });
});
