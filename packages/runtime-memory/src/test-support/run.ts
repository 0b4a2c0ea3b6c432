import { defineJob, type StreamEnvironment } from '@rs/core';
import { type MemoryEnvironmentOptions, StreamExecutionEnvironment } from '../index.ts';

/** The two ways to run a pipeline, which must not differ. */
export const MODES = ['eager', 'async'] as const;
export type Mode = (typeof MODES)[number];

/** Declares streams and runs them to the end. */
export async function run(
  mode: Mode,
  define: (env: StreamEnvironment) => void,
  options: MemoryEnvironmentOptions = {},
): Promise<StreamExecutionEnvironment> {
  const env = StreamExecutionEnvironment.getExecutionEnvironment(options);
  if (mode === 'eager') define(env);
  else await env.executeAsync(defineJob(define));
  return env;
}
