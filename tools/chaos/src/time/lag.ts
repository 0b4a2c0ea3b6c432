import { now } from './now.ts';

const EVERY = 20;
/** Less is the ordinary unrest of timers. */
export const NOTEWORTHY = 40;

/** In the place of a process: Redis, whose answers took so long. */
export const REDIS = 'redis';

/** The process that runs all of it: everything that workers say to Redis goes through it. */
export const PARENT = 'chaos';

/** A time in which a process did not get its turn. */
export interface Lag {
  readonly incarnation: string;
  /** When it was noticed. */
  readonly at: number;
  readonly millis: number;
}

/** Tells how long the event loop stood still, each time it did. Returns what ends that. */
export function watchLag(tell: (millis: number) => void): () => void {
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    const lag = at - last - EVERY;
    last = at;
    if (lag > NOTEWORTHY) tell(lag);
  }, EVERY);
  timer.unref();
  return () => clearInterval(timer);
}
