export { buildGraph, type GraphEdge, type LogicalGraph } from './graph/graph.ts';
export { describeGraph, type GraphDescription, type OperatorDescription } from './graph/describe.ts';
export {
  labelOf,
  type GraphNode,
  type NodeInput,
  type OperatorNode,
  type SinkNode,
  type SourceNode,
} from './graph/node.ts';
export { EnvironmentBuilder, type EnvironmentDefaults, type SourceSpec } from './builder/environment.ts';
export { checkChoice, checkMethods } from './builder/checks.ts';
export { makeSink } from './builder/make-node.ts';
export { Task, type LateRecord, type ProcessingTimeMode, type TaskOptions } from './operator/task.ts';
export { isPromise } from './promise.ts';
export { NOWHERE, type AnyReceiver, type Receiver } from './operator/receiver.ts';
export { runSync } from './driver/run-sync.ts';
export { runAsync, type RunOptions } from './driver/run-async.ts';
export { BatchedDriver, type BatchedOptions, type InputItem } from './driver/batched/batched-driver.ts';
export type {
  CommitBatch,
  CommitReply,
  OperatorTimerChange,
  OutputRecord,
  StateBackend,
  StoredTimer,
  TaskSnapshot,
} from './driver/batched/backend.ts';
export type { OperatorMeta } from './operator/operator.ts';
export type {
  CellAddress,
  CellChange,
  Encoded,
  StoredCell,
  StoredElement,
  StoredElements,
  StoredValue,
} from './state/stored.ts';
export type { TimerChange } from './time/timer-queue.ts';
export type { PumpResult, SourceReader } from './driver/source-reader.ts';
export { failureOf } from './failure.ts';
export { Fifo } from './fifo.ts';
export { MAX_DELAY, systemScheduler, type Scheduler } from './time/scheduler.ts';
