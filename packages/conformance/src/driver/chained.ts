import type { LogicalGraph, OutputRecord } from '@rs/runtime';
import { type HarnessItem, runChained } from '@rs/runtime/testing';
import type { Driver } from '../driver.ts';
import type { Variant } from '../variant.ts';
import { graphOf, partitionsOf, topicOf } from './harness-graph.ts';

/** The kernel alone: a chain of calls over state in memory, fed item by item. */
export const chained: Driver = {
  name: 'chained',
  supports: () => true,
  async run(variant) {
    const graph = graphOf(variant);
    const { outputs, late } = await runChained(graph, itemsOf(graph, variant), partitionsOf(variant));
    return { sinks: bySink(outputs), late };
  },
};

/** Every message for each source that reads its topic, in the order of sending; then the end of everything. */
function itemsOf({ sources }: LogicalGraph, { messages, topics }: Variant): HarnessItem[] {
  const inputs = sources.map((source, input) => ({ input, topic: topicOf(source) }));
  const records = messages.flatMap((message) =>
    inputs
      .filter(({ topic }) => topic === message.topic)
      .map(({ input }): HarnessItem => {
        const { partition, timestamp, key } = message;
        return { type: 'record', input, partition, value: message, timestamp, key };
      }),
  );
  const ends = inputs.flatMap(({ input, topic }) =>
    Array.from({ length: topics[topic] ?? 0 }, (_, partition): HarnessItem => ({
      type: 'end',
      input,
      partition,
    })),
  );
  return [...records, ...ends];
}

function bySink(outputs: readonly OutputRecord[]): Record<string, unknown[]> {
  const sinks: Record<string, unknown[]> = {};
  for (const { sink, value } of outputs) (sinks[sink] ??= []).push(value);
  return sinks;
}
