export { isRsError, RsError } from '@rs/core';

export { RedisStreamExecutionEnvironment } from './environment/environment.ts';
export {
  RUNTIME_DEFAULTS,
  type BatchConfig,
  type OutLogConfig,
  type RedisRuntimeConfig,
  type RetryConfig,
} from './options/config.ts';
export type {
  AwaitOptions,
  JobDiagnostics,
  JobHealth,
  JobState,
  PipelineDiagnostics,
  RedisJobClient,
  StopOptions,
  StopReport,
} from './job/client.ts';
export type { TaskStatus } from './task/runner.ts';
export type { Unreplicated } from './deliver/task-outputs.ts';

export { toTopic, type TopicSink, type TopicSinkOptions } from '@rs/core';
export { redisHash, type RedisHashOptions } from './sink/slot/redis-hash.ts';
export { redisSortedSet, type RedisSortedSetOptions } from './sink/slot/redis-sorted-set.ts';
export { redisStream, type RedisStreamOptions } from './sink/slot/redis-stream.ts';
export { sinkKeys, type SinkKeysOptions } from './sink/slot/sink-keys.ts';
export type { SlotSink } from './sink/slot/slot-sink.ts';
export type { StoredAs } from './sink/slot/slot-value.ts';
