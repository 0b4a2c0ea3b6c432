import { type JobDefinition, RsError } from '@rs/core';
import {
  buildGraph,
  checkMethods,
  EnvironmentBuilder,
  type EnvironmentDefaults,
  type LogicalGraph,
  type SinkNode,
} from '@rs/runtime';

/**
 * The graph of a job.
 *
 * @throws RsError whatever declaring it throws; `RS_NO_SINK`, `RS_DUPLICATE_UID`; `RS_INVALID_ARGUMENT` for what is no job
 */
export function declaredJob(job: JobDefinition, defaults: EnvironmentDefaults): LogicalGraph {
  checkMethods(job, ['define'], 'TestDriver.of', 'a job made by defineJob');
  const env = new DeclaringEnvironment(defaults);
  job.define(env);
  return buildGraph(env.sinks);
}

/** Takes note of what a job declares, and runs nothing. */
class DeclaringEnvironment extends EnvironmentBuilder {
  readonly sinks: SinkNode[] = [];

  attachSink(sink: SinkNode): void {
    this.sinks.push(sink);
  }

  iterate(): never {
    throw new RsError(
      'RS_UNSUPPORTED',
      'a stream of a job cannot be iterated while the job is being declared; end it in addSink',
    );
  }
}
