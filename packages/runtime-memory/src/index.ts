export type { GraphDescription, OperatorDescription, ProcessingTimeMode, Scheduler } from '@rs/runtime';
export { StreamExecutionEnvironment } from './environment.ts';
export {
  DEFAULTS,
  type ExecuteOptions,
  type JobMetrics,
  type JobResult,
  type MemoryEnvironmentOptions,
} from './options.ts';
export { consoleLogger } from './console-logger.ts';
