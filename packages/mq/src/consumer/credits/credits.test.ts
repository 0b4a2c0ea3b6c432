import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Credits } from './credits.ts';

const MIB = 1024 * 1024;
const limits = { maxMessages: 512, maxBytes: 8 * MIB, maxChunk: 256 };

/** Reads from a partition as its owner does. Returns how many bytes came. */
function read(credits: Credits, sizes: number[]): number {
  const came = sizes.splice(0, credits.chunk());
  const bytes = came.reduce((sum, size) => sum + size, 0);
  credits.take(came.length, bytes);
  return bytes;
}

describe('Credits', () => {
  test('takes and gives back messages and bytes', () => {
    const credits = new Credits(limits);
    expect([credits.free, credits.freeBytes, credits.averageSize]).toEqual([512, 8 * MIB, 0]);
    credits.take(10, 1_000);
    expect([credits.free, credits.freeBytes, credits.averageSize]).toEqual([502, 8 * MIB - 1_000, 100]);
    credits.give(4, 400);
    expect([credits.free, credits.freeBytes]).toEqual([506, 8 * MIB - 600]);
  });

  test('is never given back more than was taken', () => {
    const credits = new Credits(limits);
    credits.take(1, 10);
    credits.give(2, 20);
    expect([credits.free, credits.freeBytes]).toEqual([512, 8 * MIB]);
  });

  test('starts small, doubles while what comes fits, and starts anew when it does not', () => {
    const credits = new Credits(limits);
    const chunks = Array.from({ length: 6 }, () => {
      const chunk = credits.chunk();
      credits.take(chunk, chunk * 100);
      credits.give(chunk, chunk * 100);
      return chunk;
    });
    expect(chunks).toEqual([16, 32, 64, 128, 256, 256]);
    credits.take(256, 9 * MIB);
    credits.give(256, 9 * MIB);
    expect(credits.chunk()).toBe(16);
  });

  test('asks for no more than there is room for', () => {
    const credits = new Credits({ ...limits, maxMessages: 20 });
    credits.take(15, 1_500);
    expect(credits.chunk()).toBe(5);
    credits.take(5, 500);
    expect(credits.chunk()).toBe(0);
    credits.give(1, 100);
    expect(credits.chunk()).toBe(1);
  });

  test('asks for no more than fits by the size of those before', () => {
    const credits = new Credits(limits);
    credits.take(2, 2 * MIB);
    expect(credits.chunk()).toBe(6);
  });

  test('waits while the bytes are used up', () => {
    const credits = new Credits(limits);
    credits.take(1, 8 * MIB);
    expect(credits.chunk()).toBe(0);
    credits.give(1, 8 * MIB);
    expect(credits.chunk()).toBe(1);
  });

  test('a message larger than everything is read when there is nothing else', () => {
    const credits = new Credits({ ...limits, maxBytes: 10 });
    credits.take(1, 1_000);
    expect(credits.chunk()).toBe(0);
    credits.give(1, 1_000);
    expect(credits.chunk()).toBe(1);
  });

  test('larger messages are believed at once, smaller ones bit by bit', () => {
    const credits = new Credits(limits);
    const after = (size: number) => {
      credits.take(1, size);
      credits.give(1, size);
      return credits.averageSize;
    };
    expect([100, 1_000, 200, 200].map(after)).toEqual([100, 1_000, 800, 650]);
  });

  test('200 messages of 1 MB: the first read is bounded, and all later ones keep to the budget', () => {
    const credits = new Credits(limits);
    const sizes = new Array<number>(200).fill(1_000_000);
    const first = read(credits, sizes);
    expect(first).toBe(16_000_000);
    credits.give(16, first);
    while (sizes.length > 0) {
      const bytes = read(credits, sizes);
      expect(bytes).toBeLessThanOrEqual(8 * MIB);
      expect(bytes).toBeGreaterThan(0);
      credits.give(bytes / 1_000_000, bytes);
    }
    expect([credits.free, credits.freeBytes]).toEqual([512, 8 * MIB]);
  });

  test('whatever the sizes: nothing stays unread, and what is asked for fits by the sizes before', () => {
    const sizes = fc.array(fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 3 * MIB })), { maxLength: 300 });
    fc.assert(
      fc.property(sizes, (all) => {
        const credits = new Credits(limits);
        const unread = [...all];
        for (let reads = 0; unread.length > 0; reads++) {
          expect(reads).toBeLessThanOrEqual(all.length);
          const budget = credits.freeBytes;
          const chunk = credits.chunk();
          expect(chunk).toBeGreaterThan(0);
          // Sizes as expected fit; a single message always may.
          expect(chunk === 1 || chunk * credits.averageSize <= budget).toBe(true);
          const before = unread.length;
          const bytes = read(credits, unread);
          credits.give(before - unread.length, bytes);
        }
        expect([credits.free, credits.freeBytes]).toEqual([512, 8 * MIB]);
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
