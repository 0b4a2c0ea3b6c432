/** Until everything that follows at once has happened: promises and ticks, but no timers. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
