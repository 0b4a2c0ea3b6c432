import type { PartitionReader, SourceNode, SourceReader, SourceSpec } from '@rs/runtime';
import type { MemoryTopics } from '../topic/memory-topics.ts';
import { openTopic } from '../topic/open-topic.ts';
import { ArrayReader } from './array-reader.ts';
import { AsyncIterableReader } from './async-iterable-reader.ts';
import { CustomSourceReader } from './custom-source-reader.ts';
import { IterableReader } from './iterable-reader.ts';
import type { ReadOnce } from './read-once.ts';

/** What the sources of an environment have in common. */
export interface SourceSettings {
  readonly readOnce: ReadOnce;
  readonly topics: MemoryTopics;
}

/** The readers of all partitions of the sources, for one run. */
export function openReaders(sources: readonly SourceNode[], settings: SourceSettings): PartitionReader[] {
  return sources.flatMap((source) =>
    openSource(source, settings).map((reader, partition) => ({ source, partition, reader })),
  );
}

/** How many partitions a source has: as many as its topic, else one. @throws RsError `RS_UNKNOWN_TOPIC` */
export function partitionsOf(node: SourceNode, topics: MemoryTopics): number {
  const spec = node.source as SourceSpec;
  return spec.type === 'topic' ? topics.partitions(spec.topic) : 1;
}

/** True when the source can only be read by a run that waits. */
export function isAsyncSource(node: SourceNode): boolean {
  const spec = node.source as SourceSpec;
  return spec.type === 'asyncIterable' || (spec.type === 'topic' && spec.options.until === undefined);
}

function openSource(node: SourceNode, { readOnce, topics }: SourceSettings): SourceReader[] {
  const spec = node.source as SourceSpec;
  const name = `source '${node.name}'`;
  switch (spec.type) {
    case 'iterable':
      return [
        Array.isArray(spec.iterable)
          ? new ArrayReader(name, spec.iterable)
          : new IterableReader(name, spec.iterable, readOnce),
      ];
    case 'asyncIterable':
      return [new AsyncIterableReader(name, spec.iterable, readOnce)];
    case 'custom':
      return [new CustomSourceReader(name, spec.source)];
    case 'topic':
      return openTopic(name, spec, topics);
  }
}
