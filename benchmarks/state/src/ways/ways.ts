import { naive } from './by-hand/naive.ts';
import { script } from './by-hand/script.ts';
import { rs } from './rs/rs.ts';
import type { Way } from './way.ts';

export const WAYS = { rs, script, naive } satisfies Record<string, Way>;

export type WayName = keyof typeof WAYS;
