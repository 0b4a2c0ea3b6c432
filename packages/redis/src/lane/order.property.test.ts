import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { createRedisClient } from '../client/create-redis-client.ts';
import { call, watch } from '../test-support/calls.ts';
import { FakeCluster } from '../test-support/fake-cluster.ts';
import { FakeDriver } from '../test-support/fake-driver.ts';
import type { FakeNode } from '../test-support/fake-node.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';

const KEYS = ['a', 'b', 'c'];
const SCRIPTS = ['x', 'y', 'z'];

type Step =
  | { readonly do: 'call'; readonly key: string; readonly script: string }
  | { readonly do: 'turn' | 'serve' | 'flush' | 'kill' | 'lose' };

const calls = fc.record({
  do: fc.constant('call' as const),
  key: fc.constantFrom(...KEYS),
  script: fc.constantFrom(...SCRIPTS),
});
const other = (...names: ('turn' | 'serve' | 'flush' | 'kill' | 'lose')[]) =>
  fc.record({ do: fc.constantFrom(...names) });
const stepsOf = (...names: ('turn' | 'serve' | 'flush' | 'kill' | 'lose')[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof({ weight: 3, arbitrary: calls }, { weight: 4, arbitrary: other(...names) }), {
    maxLength: 60,
  });

beforeEach(stopTimers);
afterEach(() => {
  jest.useRealTimers();
});

interface Run {
  /** `key number` of every call, in the order in which they were made. */
  readonly made: string[];
  /** The same in the order in which they were executed. */
  readonly executed: string[];
  readonly outcomes: unknown[];
}

async function play(driver: FakeDriver, nodes: readonly FakeNode[], steps: readonly Step[]): Promise<Run> {
  const client = createRedisClient(driver, { random: () => 0.5, commandTimeout: 600_000 });
  const made: string[] = [];
  const watched: { now: () => unknown }[] = [];
  // The connections, and in a cluster the table, are there before things get difficult.
  await Promise.all(KEYS.map((key) => client.command({ name: 'GET', args: [key] }, { key })));
  for (const node of nodes) {
    node.auto = false;
    node.executed.length = 0;
  }
  for (const step of steps) {
    if (step.do === 'call') {
      const number = String(made.push(`${step.key} ${made.length}`) - 1);
      watched.push(watch(client.run(call(step.script, step.key, number))));
    } else if (step.do === 'turn') {
      await turn();
    } else {
      for (const node of nodes) disturb(node, step.do);
    }
  }
  for (const node of nodes) node.auto = true;
  for (const node of nodes) node.serveAll();
  await pass(20_000);
  const executed = nodes.flatMap((node) => node.executed.map((line) => line.slice(2)));
  const outcomes = watched.map((each) => each.now());
  await client.close();
  return { made, executed, outcomes };
}

function disturb(node: FakeNode, how: 'serve' | 'flush' | 'kill' | 'lose'): void {
  if (how === 'serve') node.serve();
  else if (how === 'flush') node.flushScripts();
  else if (how === 'kill') node.kill();
  else node.serveAndLoseReply();
}

const ofKey = (lines: readonly string[], key: string): string[] =>
  lines.filter((line) => line.startsWith(`${key} `));

const topologies = {
  single: () => {
    const driver = new FakeDriver('single');
    return { driver, nodes: driver.nodes };
  },
  cluster: () => new FakeCluster(2),
};

test.each(['single', 'cluster'] as const)(
  '%s: while scripts vanish at any time, the calls of a slot are executed in their order, each once',
  async (topology) => {
    await fc.assert(
      fc.asyncProperty(stepsOf('turn', 'serve', 'flush'), async (steps) => {
        const { driver, nodes } = topologies[topology]();
        const { made, executed, outcomes } = await play(driver, nodes, steps);
        for (const key of KEYS) expect(ofKey(executed, key)).toEqual(ofKey(made, key));
        expect(outcomes).toEqual(made.map((line) => `ran ${line}`));
      }),
      { numRuns: topology === 'single' ? 300 : 100 },
    );
  },
);

test.each(['single', 'cluster'] as const)(
  '%s: while connections end and replies are lost as well, every call is executed and answered',
  async (topology) => {
    await fc.assert(
      fc.asyncProperty(stepsOf('turn', 'serve', 'flush', 'kill', 'lose'), async (steps) => {
        const { driver, nodes } = topologies[topology]();
        const { made, executed, outcomes } = await play(driver, nodes, steps);
        expect(outcomes).toEqual(made.map((line) => `ran ${line}`));
        expect(new Set(executed)).toEqual(new Set(made));
        // Sent again or not, the first time comes in order: what was lost goes before what was made later.
        for (const key of KEYS) expect([...new Set(ofKey(executed, key))]).toEqual(ofKey(made, key));
      }),
      { numRuns: topology === 'single' ? 300 : 100 },
    );
  },
);
