import { defineJob, silentLogger } from '@rs/core';
import type { RedisLike } from '@rs/redis';
import {
  type RedisJobClient,
  type RedisRuntimeConfig,
  RedisStreamExecutionEnvironment,
} from '@rs/runtime-redis';
import type { SinkTo } from '../../case.ts';
import type { Variant } from '../../variant.ts';
import { JOB, type RedisRun } from './bench.ts';
import { typedCodec } from './typed-codec.ts';

/** Starts a process's part of the job. The first error of a record is that of the job. */
export async function startJob(
  { settings, define }: Pick<Variant, 'settings' | 'define'>,
  run: RedisRun,
  sinkTo: SinkTo,
  { redis = run.redis, ...config }: { readonly redis?: RedisLike } & RedisRuntimeConfig,
): Promise<RedisJobClient> {
  const env = RedisStreamExecutionEnvironment.create(redis, {
    ...settings,
    jobName: JOB,
    prefix: run.prefix,
    codecs: [typedCodec],
    retry: { attempts: 1 },
    onPoison: 'halt',
    processingTime: 'records',
    logger: silentLogger,
    ...config,
  });
  return env.run(defineJob((streams) => define(streams, sinkTo)));
}
