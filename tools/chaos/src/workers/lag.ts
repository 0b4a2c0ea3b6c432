import { now } from '../time/now.ts';

const EVERY = 20;
/** Less is the ordinary unrest of timers. */
export const NOTEWORTHY = 40;

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
