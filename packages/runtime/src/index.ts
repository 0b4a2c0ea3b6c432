export { buildGraph, type GraphEdge, type LogicalGraph } from './graph/graph.ts';
export { mergesTime, planTopology, type ExchangeEdge, type Stage, type Topology } from './graph/topology.ts';
export type { PartitionsOf } from './graph/partitions.ts';
export { describeGraph, type GraphDescription, type OperatorDescription } from './graph/describe.ts';
export {
  labelOf,
  type GraphNode,
  type NodeInput,
  type OperatorNode,
  type SinkNode,
  type SourceNode,
} from './graph/node.ts';
export { EnvironmentBuilder, type EnvironmentDefaults } from './builder/environment.ts';
export type { SourceSpec, TopicSpec } from './builder/source-spec.ts';
export { refusedValue } from './builder/topic-value.ts';
export { checkChoice, checkMethods, checkPositiveInteger } from './builder/checks.ts';
export { makeSink } from './builder/make-node.ts';
export { Task, type LateRecord, type ProcessingTimeMode, type TaskOptions } from './operator/task.ts';
export { closeQuietly } from './operator/closing.ts';
export { isPromise } from './promise.ts';
export { routeText } from './operator/exchange.ts';
export { NOWHERE, type AnyReceiver, type Receiver } from './operator/receiver.ts';
export { INVOKE_AT, PLAIN, type PlainSink, type TimedSink } from './operator/sink.ts';
export { runSync } from './driver/run-sync.ts';
export { runAsync, type RunOptions } from './driver/run-async.ts';
export { BatchedDriver } from './driver/batched/batched-driver.ts';
export type { BatchedOptions, TaskPlace } from './driver/batched/batched-options.ts';
export type { FailedTimer } from './driver/batched/failed-timer.ts';
export type { InputItem } from './driver/batched/input-item.ts';
export { taskInputs, type TaskInput } from './driver/batched/task-inputs.ts';
export type { StreamItem } from './operator/stream-item.ts';
export type {
  CommitBatch,
  CommitReply,
  OperatorTimerChange,
  OutputRecord,
  SentItem,
  StateBackend,
  TaskSnapshot,
  TimerPage,
  TimerQueueAddress,
} from './driver/batched/backend.ts';
export type { SchemaMismatch } from './state/store.ts';
export type { OperatorMeta } from './operator/operator.ts';
export type {
  CellAddress,
  CellChange,
  Encoded,
  KeyAddress,
  StoredCell,
  StoredElement,
  StoredElements,
  StoredPage,
  StoredValue,
} from './state/stored.ts';
export { emptyState, readState, type StoredStateOf } from './state/read-state.ts';
export type { StoredTimer } from './time/stored-timer.ts';
export type { TimerChange } from './time/timer-log.ts';
export type { PartitionReader, PumpResult, SourceReader } from './driver/source-reader.ts';
export type { RunHooks } from './driver/run-hooks.ts';
export type { ChainedJob } from './driver/chained.ts';
export { checkpointOf, newCheckpoint, snapshotIn, type CheckpointParts } from './checkpoint/checkpoint.ts';
export type {
  JobSnapshot,
  OperatorSnapshot,
  SinkSnapshot,
  SourceSnapshot,
  StateSnapshot,
} from './checkpoint/job-snapshot.ts';
export { emptySnapshot, takeSnapshot } from './checkpoint/take-snapshot.ts';
export { replaceState } from './checkpoint/replace-state.ts';
export { resumeJob } from './checkpoint/resume-job.ts';
export type { StoredSnapshot } from './checkpoint/placement.ts';
export { JobSinks } from './checkpoint/job-sinks.ts';
export { runSteps, type Steps } from './checkpoint/steps.ts';
export { consoleLogger } from './console-logger.ts';
export { failureOf } from './failure.ts';
export { Fifo } from './fifo.ts';
export { systemRandom, type Random } from './random.ts';
export { longTimer, MAX_DELAY, systemScheduler, type Scheduler } from './time/scheduler.ts';
