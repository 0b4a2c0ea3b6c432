/** Lets all promises that can settle do so. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
