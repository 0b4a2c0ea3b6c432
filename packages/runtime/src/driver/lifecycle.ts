import { type Logger, RsError } from '@rs/core';
import type { LogicalGraph } from '../graph/graph.ts';
import { labelOf } from '../graph/node.ts';
import type { Plan } from '../graph/plan.ts';
import { isPromise } from '../operator/gate.ts';
import type { SourceReader } from './source-reader.ts';

/** Something that is opened before a run and closed after it, whatever happens in between. */
export interface Resource {
  readonly role: 'source' | 'sink';
  readonly name: string;
  open?(): unknown;
  close?(): unknown;
  /** The error for a failed `open`. */
  failed(error: unknown): RsError;
}

export function resourcesOf(graph: LogicalGraph, readers: Iterable<SourceReader>): Resource[] {
  const sinks = graph.sinks.map((node) => ({
    role: 'sink' as const,
    name: labelOf(node),
    open: () => node.sink.open?.(),
    close: () => node.sink.close?.(),
    failed: (error: unknown) => asRsError('RS_SINK_FAILED', labelOf(node), error),
  }));
  const sources = [...readers].map((reader) => ({
    role: 'source' as const,
    name: reader.name,
    open: () => reader.open?.(),
    close: () => reader.close?.(),
    failed: (error: unknown) => asRsError('RS_SOURCE_FAILED', reader.name, error),
  }));
  return [...sinks, ...sources];
}

export function asRsError(
  code: 'RS_SINK_FAILED' | 'RS_SOURCE_FAILED',
  name: string,
  error: unknown,
): RsError {
  if (error instanceof RsError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new RsError(code, `${name} failed: ${reason}`, { cause: error, details: { operator: name } });
}

/** Errors on the way out are told, not thrown: they must not hide the run's own result. */
export function logCloseError(logger: Logger, name: string, error: unknown): void {
  logger.warn({ component: 'runtime', operator: name, error }, `${name} failed to close`);
}

/** Tells a source that the run is over; it may still be running. */
export function cancelReader(reader: SourceReader, logger: Logger): void {
  try {
    const result = reader.cancel?.();
    if (isPromise(result))
      result.then(undefined, (error: unknown) => logCloseError(logger, reader.name, error));
  } catch (error) {
    logCloseError(logger, reader.name, error);
  }
}

/** Closes the operators' user functions. */
export function closeOperators(plan: Plan | undefined, logger: Logger): void {
  for (const { instance, node } of plan?.operators ?? []) {
    try {
      instance.close?.();
    } catch (error) {
      logCloseError(logger, labelOf(node), error);
    }
  }
}
