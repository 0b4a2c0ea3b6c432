import { type DataStream, RsError, silentLogger } from '@rs/core';
import { EnvironmentBuilder, type EnvironmentDefaults } from '../builder/environment.ts';
import { makeSource } from '../builder/make-node.ts';
import { buildGraph, type LogicalGraph } from '../graph/graph.ts';
import type { SinkNode } from '../graph/node.ts';

/** Declares jobs and runs nothing. */
export class TestEnvironment extends EnvironmentBuilder {
  readonly sinks: SinkNode[] = [];

  constructor(defaults: Partial<EnvironmentDefaults> = {}) {
    super({ logger: silentLogger, ...defaults });
  }

  /** A source whose records the test feeds by hand. */
  input<T>(name = 'input'): DataStream<T> {
    return this.dataStream<T>({ node: makeSource(this, name, undefined), tag: undefined });
  }

  attachSink(sink: SinkNode): void {
    this.sinks.push(sink);
  }

  iterate(): Iterator<unknown> {
    throw new RsError('RS_UNSUPPORTED', 'the test environment runs nothing by itself');
  }

  graph(): LogicalGraph {
    return buildGraph(this.sinks);
  }
}
