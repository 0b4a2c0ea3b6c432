import { defineJob, silentLogger, type StreamEnvironment } from '@rs/core';
import {
  buildGraph,
  EnvironmentBuilder,
  type LogicalGraph,
  planTopology,
  type SinkNode,
  type Topology,
} from '@rs/runtime';

/** Declares jobs and runs nothing. */
class DeclaringEnvironment extends EnvironmentBuilder {
  readonly sinks: SinkNode[] = [];

  constructor() {
    super({ logger: silentLogger });
  }

  attachSink(sink: SinkNode): void {
    this.sinks.push(sink);
  }

  iterate(): Iterator<unknown> {
    return [][Symbol.iterator]();
  }
}

export function graphOf(define: (env: StreamEnvironment) => void): LogicalGraph {
  const env = new DeclaringEnvironment();
  defineJob(define).define(env);
  return buildGraph(env.sinks);
}

/** The topology of a job whose topics all have so many partitions. */
export function topologyOf(define: (env: StreamEnvironment) => void, partitions = 1): Topology {
  return planTopology(graphOf(define), () => partitions);
}
