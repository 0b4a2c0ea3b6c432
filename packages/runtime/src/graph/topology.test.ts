import { describe, expect, test } from '@jest/globals';
import { type DataStream, mapState } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';
import { type ExchangeEdge, planTopology, type Topology } from './topology.ts';

const ignore = () => undefined;

/** The stages of a job as texts; each source has the number of partitions that its name ends with. */
function stagesOf(define: (env: TestEnvironment) => void): string[] {
  return topologyOf(define).stages.map((stage) => {
    const nodes = stage.nodes.map(({ name }) => name).join(' ');
    const received = stage.received.map((edge) => ` <- ${text(edge)}`).join('');
    return `${stage.partitions}: ${nodes}${received}`;
  });
}

function topologyOf(define: (env: TestEnvironment) => void): Topology {
  const env = new TestEnvironment();
  define(env);
  return planTopology(env.graph(), ({ name }) => Number(/\d+$/.exec(name)?.[0] ?? 1));
}

function text({ from, node, routing, senders, receivers }: ExchangeEdge): string {
  return `${from.index}/${node.name} ${routing} ${senders}>${receivers}`;
}

const keyed = (stream: DataStream<string>, name: string) => stream.keyBy((value) => value, { name });

describe('stages', () => {
  test('one partition needs no exchange, and is one stage', () => {
    const stages = stagesOf((env) => {
      keyed(env.input<string>('a'), 'k').reduce((a) => a).addSink(ignore, { name: 'sink' }); // prettier-ignore
    });
    expect(stages).toEqual(['1: a k reduce sink']);
  });

  test('a keyBy on several partitions is an exchange to as many', () => {
    const stages = stagesOf((env) => {
      keyed(env.input<string>('a8'), 'k').reduce((a) => a).addSink(ignore, { name: 'sink' }); // prettier-ignore
    });
    expect(stages).toEqual(['8: a8 k', '8: reduce sink <- 0/k exchange 8>8']);
  });

  test('operators behind one keyBy share its state, and are in one stage', () => {
    const stages = stagesOf((env) => {
      const stream = keyed(env.input<string>('a2'), 'k');
      stream.reduce((a) => a, { name: 'x' }).addSink(ignore, { name: 'sx' });
      stream.reduce((a) => a, { name: 'y' }).addSink(ignore, { name: 'sy' });
    });
    expect(stages).toEqual(['2: a2 k', '2: x sx y sy <- 0/k exchange 2>2']);
  });

  test('parts of a job that have nothing to do with each other are stages of their own', () => {
    const stages = stagesOf((env) => {
      env.input<string>('a').addSink(ignore, { name: 'sa' });
      env.input<string>('b').addSink(ignore, { name: 'sb' });
    });
    expect(stages).toEqual(['1: a sa', '1: b sb']);
  });

  test('one keyBy after another is an exchange each', () => {
    const stages = stagesOf((env) => {
      const once = keyed(env.input<string>('a4'), 'k1').reduce((a) => a, { name: 'r1' });
      keyed(once, 'k2').reduce((a) => a, { name: 'r2' }).addSink(ignore, { name: 'sink' }); // prettier-ignore
    });
    expect(stages).toEqual(['4: a4 k1', '4: r1 k2 <- 0/k1 exchange 4>4', '4: r2 sink <- 1/k2 exchange 4>4']);
  });

  test('what goes around an exchange is forwarded to the later stage, so that no task waits for itself', () => {
    const stages = stagesOf((env) => {
      const input = env.input<string>('a3');
      const counted = keyed(input, 'k').reduce((a) => a);
      input.union([counted], { name: 'u' }).addSink(ignore, { name: 'sink' });
    });
    expect(stages).toEqual(['3: a3 k', '3: reduce u sink <- 0/k exchange 3>3 <- 0/a3 forward 1>3']);
  });

  test('a union of streams with different partitions has the larger number', () => {
    const stages = stagesOf((env) => {
      const both = env.input<string>('a2').union([env.input<string>('b5')], { name: 'u' });
      keyed(both, 'k').reduce((a) => a).addSink(ignore, { name: 'sink' }); // prettier-ignore
    });
    expect(stages).toEqual(['5: a2 b5 u k', '5: reduce sink <- 0/k exchange 5>5']);
  });

  test('a union behind exchanges of different size waits for both', () => {
    const stages = stagesOf((env) => {
      const a = keyed(env.input<string>('a2'), 'ka').reduce((x) => x, { name: 'ra' });
      const b = keyed(env.input<string>('b3'), 'kb').reduce((x) => x, { name: 'rb' });
      a.union([b], { name: 'u' }).addSink(ignore, { name: 'sink' });
    });
    expect(stages).toEqual([
      '2: a2 ka',
      '3: b3 kb',
      '3: ra rb u sink <- 0/ka exchange 2>2 <- 1/kb exchange 3>3',
    ]);
  });
});

describe('connected keyed streams', () => {
  test('have as many partitions as the larger source', () => {
    const stages = stagesOf((env) => {
      const a = keyed(env.input<string>('a2'), 'ka');
      const b = keyed(env.input<string>('b6'), 'kb');
      a.connect(b, { name: 'c' })
        .process({ processElement1: ignore, processElement2: ignore }, { name: 'p' })
        .addSink(ignore, { name: 'sink' });
    });
    expect(stages).toEqual(['2: a2 ka', '6: b6 kb', '6: c p sink <- 0/ka exchange 2>6 <- 1/kb exchange 6>6']);
  });

  test('go where the records of one of them must stay', () => {
    const stages = stagesOf((env) => {
      const a = env.input<string>('a2').keyBy((value) => value, { name: 'ka', colocated: true });
      const b = keyed(env.input<string>('b6'), 'kb');
      a.connect(b, { name: 'c' })
        .process({ processElement1: ignore, processElement2: ignore }, { name: 'p' })
        .addSink(ignore, { name: 'sink' });
    });
    expect(stages).toEqual(['2: a2 ka', '6: b6 kb', '2: c p sink <- 0/ka forward 1>2 <- 1/kb exchange 6>2']);
  });

  test('go to the only partition of one that must stay, and what is behind them is there too', () => {
    const { stages, partitions } = topologyOf((env) => {
      const a = env.input<string>('a1').keyBy((value) => value, { name: 'ka', colocated: true });
      const b = keyed(env.input<string>('b6'), 'kb');
      a.connect(b, { name: 'c' })
        .process<string>({ processElement1: ignore, processElement2: ignore }, { name: 'p' })
        .keyBy((value) => value, { name: 'kc', colocated: true })
        .reduce((value) => value)
        .addSink(ignore, { name: 'sink' });
    });
    expect(stages.map((stage) => stage.partitions)).toEqual([1, 6, 1]);
    const kc = stages.flatMap(({ nodes }) => nodes).find(({ name }) => name === 'kc');
    expect(kc === undefined ? undefined : [partitions.of(kc), partitions.after(kc)]).toEqual([1, 1]);
  });

  test('of which two must stay where they are need equal partitions', () => {
    const error = errorOf(() =>
      topologyOf((env) => {
        const a = env.input<string>('a2').keyBy((value) => value, { name: 'ka', colocated: true });
        const b = env.input<string>('b6').keyBy((value) => value, { name: 'kb', colocated: true });
        a.connect(b).process({ processElement1: ignore, processElement2: ignore }).addSink(ignore);
      }),
    );
    expect(error).toMatchObject({ code: 'RS_NOT_COPARTITIONED' });
    expect(String(error)).toContain("source 'a2' has 2 partitions and source 'b6' has 6 partitions");
  });
});

describe('a broadcast', () => {
  const nothing = { processElement: ignore, processBroadcastElement: ignore };

  test('says nothing about where keys are', () => {
    const stages = stagesOf((env) => {
      const rules = env.input<string>('rules1').broadcast(mapState<string, string>('rules'));
      env
        .input<string>('a8')
        .connect(rules)
        .process(nothing, { name: 'p' })
        .keyBy((value) => value, { name: 'k', colocated: true })
        .reduce((a) => a)
        .addSink(ignore, { name: 'sink' });
    });
    expect(stages).toEqual(['1: rules1 broadcast', '8: a8 p k reduce sink <- 0/broadcast broadcast 1>8']);
  });

  test('goes to each of its readers in as many partitions as that one has', () => {
    const topology = topologyOf((env) => {
      const rules = env.input<string>('rules1').broadcast(mapState<string, string>('rules'));
      env.input<string>('a8').connect(rules).process(nothing, { name: 'p8' }).addSink(ignore);
      env.input<string>('b2').connect(rules).process(nothing, { name: 'p2' }).addSink(ignore);
    });
    const readers = topology.stages.filter(({ received }) => received.length > 0);
    expect(readers.map(({ partitions, received }) => [partitions, received[0]?.receivers])).toEqual([
      [8, 8],
      [2, 2],
    ]);
  });
});
