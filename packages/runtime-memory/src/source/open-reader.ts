import type { SourceNode, SourceReader, SourceSpec } from '@rs/runtime';
import { ArrayReader } from './array-reader.ts';
import { AsyncIterableReader } from './async-iterable-reader.ts';
import { CustomSourceReader } from './custom-source-reader.ts';
import { IterableReader } from './iterable-reader.ts';
import type { ReadOnce } from './read-once.ts';

/** A reader for one run of a source. */
export function openReader(node: SourceNode, readOnce: ReadOnce): SourceReader {
  const spec = node.source as SourceSpec;
  const name = `source '${node.name}'`;
  switch (spec.type) {
    case 'iterable':
      return Array.isArray(spec.iterable)
        ? new ArrayReader(name, spec.iterable)
        : new IterableReader(name, spec.iterable, readOnce);
    case 'asyncIterable':
      return new AsyncIterableReader(name, spec.iterable, readOnce);
    case 'custom':
      return new CustomSourceReader(name, spec.source);
  }
}

/** True when the source can only be read by a run that waits. */
export function isAsyncSource(node: SourceNode): boolean {
  return (node.source as SourceSpec).type === 'asyncIterable';
}
