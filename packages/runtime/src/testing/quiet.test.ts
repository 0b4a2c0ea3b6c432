import { describe, expect, test } from '@jest/globals';
import { turn } from '../test-support/turn.ts';
import { becomesQuiet } from './quiet.ts';

/** Counts turns, and is over or moves on after some of them. */
class Turns {
  count = 0;

  breathe(): Promise<void> {
    this.count++;
    return turn();
  }
}

describe('work', () => {
  test('is over as soon as it is', async () => {
    const turns = new Turns();
    expect(
      await becomesQuiet(
        turns,
        () => 0,
        () => turns.count === 3,
      ),
    ).toBe(false);
    expect(turns.count).toBe(3);
  });

  test('is quiet after many turns in a row without progress', async () => {
    const turns = new Turns();
    expect(
      await becomesQuiet(
        turns,
        () => 0,
        () => false,
      ),
    ).toBe(true);
    const calm = turns.count;
    expect(calm).toBeGreaterThan(20);
    const slow = new Turns();
    expect(
      await becomesQuiet(
        slow,
        () => Math.min(5, Math.floor(slow.count / 20)),
        () => false,
      ),
    ).toBe(true);
    expect(slow.count).toBeGreaterThan(calm + 90);
  });
});
