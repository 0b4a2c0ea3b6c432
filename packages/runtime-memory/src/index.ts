export type { GraphDescription, OperatorDescription, ProcessingTimeMode, Scheduler } from '@rs/runtime';
export { consoleLogger } from '@rs/runtime';
export { StreamExecutionEnvironment } from './environment.ts';
export {
  DEFAULTS,
  type ExecuteOptions,
  type JobMetrics,
  type JobResult,
  type MemoryEnvironmentOptions,
} from './options.ts';
export { CHECKPOINTING_DEFAULTS, type CheckpointingOptions } from './checkpoint/options.ts';
export type { MemoryCheckpointCoordinator } from './checkpoint/coordinator.ts';
export { FileCheckpointStorage } from './checkpoint/file-storage.ts';
export { MemoryTopics, type MemoryTopicsOptions } from './topic/memory-topics.ts';
export type { NewMessage } from './topic/new-message.ts';
