import { RsError } from '@rs/core';
import {
  buildGraph,
  type LogicalGraph,
  type PartitionsOf,
  type SourceNode,
  type SourceSpec,
} from '@rs/runtime';
import { HarnessEnvironment } from '@rs/runtime/testing';
import { Collector } from '../collector.ts';
import type { Variant } from '../variant.ts';

/** The graph of a job for the kernel's harness, which tells what was sent to a sink by its uid. */
export function graphOf({ define, settings }: Variant): LogicalGraph {
  const env = new HarnessEnvironment(settings);
  define(env, new Collector().sinkTo());
  return buildGraph(env.sinks);
}

export function partitionsOf({ topics }: Variant): PartitionsOf {
  return (source) => topics[topicOf(source)] ?? 0;
}

/** The topic that a source reads. */
export function topicOf({ source, name }: SourceNode): string {
  const spec = source as SourceSpec;
  if (spec.type === 'topic') return spec.topic;
  throw new RsError('RS_UNSUPPORTED', `source '${name}' is no topic; the jobs of cases read topics only`);
}
