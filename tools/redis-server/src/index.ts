export { FaultProxy, type FaultProxyOptions } from './fault-proxy/fault-proxy.ts';
export type { Fault } from './fault-proxy/fault.ts';
export { startCluster, type ClusterOptions, type ClusterSetup, type SlotMove } from './server/cluster.ts';
export type { AclUser, DataOptions, RedisOptions } from './server/options.ts';
export { startSentinel, type SentinelOptions, type SentinelSetup } from './server/sentinel.ts';
export type { RedisNode, Reply, TlsFiles } from './server/server.ts';
export { startRedis, type RedisServer } from './server/standalone.ts';
export { eventually, type EventuallyOptions } from './eventually.ts';
