export type {
  Arrived,
  ConnectOptions,
  RedisArgument,
  RedisCommand,
  RedisConnection,
  RedisDriver,
  RedisNode,
  RedisReply,
  RedisTraffic,
} from './driver/driver.ts';
export { ioredisDriver } from './driver/ioredis.ts';
export type { IoredisInstance } from './driver/ioredis/instance.ts';
export { replyError } from './driver/reply-error.ts';
export { isRedisDriver, toDriver, type RedisLike } from './driver/to-driver.ts';
export { DEFAULTS } from './defaults.ts';
export { createRedisClient } from './client/create-redis-client.ts';
export type { RedisClientOptions } from './client/options.ts';
export type {
  BlockingCallOptions,
  BlockingConnection,
  CallOptions,
  MasterHandle,
  RedisClient,
  WaitingCall,
} from './client/client.ts';
export type { Script, ScriptCall } from './script/script.ts';
export { SLOT_COUNT, slotOf } from './slot/slot-of.ts';
export { checkSameSlot } from './slot/check-same-slot.ts';
export { TopicKeys, topicsKey, type TopicKeysOptions } from './keys/topic-keys.ts';
export type { PartitionGroupKeys, PartitionKeys } from './keys/partition-keys.ts';
export { checkPrefix } from './keys/prefix.ts';
export { checkServer, type CheckServerOptions, type ServerReport } from './check/check-server.ts';
export { doctor, type DoctorOptions } from './check/doctor.ts';
export type { Finding, FindingCode } from './check/finding.ts';
export type { Capabilities } from './check/capabilities.ts';
export type { Product } from './check/server-info.ts';

/** @internal For the other packages of @rs. */
export { isTold } from './is-told.ts';
