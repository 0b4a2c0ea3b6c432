import type { ConformanceCase } from './case.ts';
import { ALIGNED_WINDOWS } from './cases/aligned-windows.ts';
import { ASYNC } from './cases/async.ts';
import { BROADCAST } from './cases/broadcast.ts';
import { COGROUP } from './cases/cogroup.ts';
import { CONNECT } from './cases/connect.ts';
import { EVICTORS } from './cases/evictors.ts';
import { EXCHANGE } from './cases/exchange.ts';
import { KEYED } from './cases/keyed.ts';
import { KEYS_BY_VALUE } from './cases/keys.ts';
import { LATENESS } from './cases/lateness.ts';
import { OTHER_WINDOWS } from './cases/other-windows.ts';
import { ORIGINAL_PATTERNS } from './cases/original-patterns.ts';
import { PATTERNS } from './cases/patterns.ts';
import { RANDOM_JOBS } from './cases/random-jobs.ts';
import { RANDOM_WINDOWS } from './cases/random-windows.ts';
import { SESSION_TRIGGERS } from './cases/session-triggers.ts';
import { STATE } from './cases/state.ts';
import { STATELESS } from './cases/stateless.ts';
import { STORED_VALUES } from './cases/stored-values.ts';
import { TIMER_ORDER } from './cases/timer-order.ts';
import { TIMERS } from './cases/timers.ts';
import { TRIGGERS } from './cases/triggers.ts';
import { WATERMARKS } from './cases/watermarks.ts';

/** All cases, area by area. */
export const CATALOGUE: readonly ConformanceCase[] = [
  ...STATELESS,
  ...KEYED,
  ...KEYS_BY_VALUE,
  ...STATE,
  ...STORED_VALUES,
  ...TIMERS,
  ...TIMER_ORDER,
  ...WATERMARKS,
  ...ALIGNED_WINDOWS,
  ...OTHER_WINDOWS,
  ...TRIGGERS,
  ...SESSION_TRIGGERS,
  ...EVICTORS,
  ...LATENESS,
  ...CONNECT,
  ...BROADCAST,
  ...COGROUP,
  ...ASYNC,
  ...EXCHANGE,
  ...PATTERNS,
  ...ORIGINAL_PATTERNS,
  ...RANDOM_WINDOWS,
  ...RANDOM_JOBS,
];
