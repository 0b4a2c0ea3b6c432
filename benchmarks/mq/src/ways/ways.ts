import { bullmq } from './bullmq.ts';
import { autoPipelining, pipelines } from './by-hand/pipelines.ts';
import { script } from './by-hand/script.ts';
import { rs, rsAsync } from './rs.ts';
import type { Way } from './way.ts';

export const WAYS = { rs, rsAsync, script, pipelines, autoPipelining, bullmq } satisfies Record<string, Way>;

export type WayName = keyof typeof WAYS;
