import type { RsError } from '@rs/core';
import { type Logger } from '@rs/core';
import { failureOf } from '../failure.ts';
import type { LogicalGraph } from '../graph/graph.ts';
import { labelOf } from '../graph/node.ts';
import type { Plan } from '../graph/plan.ts';
import { closeQuietly } from '../operator/closing.ts';
import type { PartitionReader, SourceReader } from './source-reader.ts';

/** Something that is opened before a run and closed after it, whatever happens in between. */
export interface Resource {
  readonly role: 'source' | 'sink';
  readonly name: string;
  open?(): unknown;
  close?(): unknown;
  /** The error for a failed `open`. */
  failed(error: unknown): RsError;
}

export function resourcesOf(graph: LogicalGraph, readers: readonly PartitionReader[]): Resource[] {
  const sinks = graph.sinks.map((node) => ({
    role: 'sink' as const,
    name: labelOf(node),
    open: () => node.sink.open?.(),
    close: () => node.sink.close?.(),
    failed: (error: unknown) => failureOf('RS_SINK_FAILED', labelOf(node), error),
  }));
  const sources = readers.map(({ reader }) => ({
    role: 'source' as const,
    name: reader.name,
    open: () => reader.open?.(),
    close: () => reader.close?.(),
    failed: (error: unknown) => failureOf('RS_SOURCE_FAILED', reader.name, error),
  }));
  return [...sinks, ...sources];
}

/** Tells a source that the run is over; it may still be running. */
export function cancelReader(reader: SourceReader, logger: Logger): void {
  closeQuietly(() => reader.cancel?.(), reader.name, logger);
}

/** Closes the operators' user functions. */
export function closeOperators(plans: readonly Plan[], logger: Logger): void {
  for (const { instance, node } of plans.flatMap(({ operators }) => operators)) {
    closeQuietly(() => instance.close?.(), labelOf(node), logger);
  }
}
