/** Turns of the event loop after which a run has done all it can without a clock or a promise of the test. */
const TURNS = 5;

/** Lets a run do what it can do now. */
export async function settle(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
}
