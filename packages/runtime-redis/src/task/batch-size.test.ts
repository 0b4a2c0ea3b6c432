import { expect, test } from '@jest/globals';
import { BatchSize } from './batch-size.ts';

const LIMITS = { operations: 1_000, bytes: 1_000_000, busy: 100 };

/** One that has seen full batches. */
function grown(): BatchSize {
  const size = new BatchSize(500, LIMITS);
  for (let n = 0; n < 10; n++) size.processed(size.records, 0);
  return size;
}

test('begins small and grows to what is allowed, while batches are full', () => {
  const size = new BatchSize(500, LIMITS);
  const sizes = [size.records];
  for (let n = 0; n < 5; n++) {
    size.processed(size.records, 0.1);
    sizes.push(size.records);
  }
  expect(sizes).toEqual([32, 64, 128, 256, 500, 500]);
  const idle = new BatchSize(500, LIMITS);
  for (let n = 0; n < 10; n++) idle.processed(1, 0.1);
  expect(idle.records).toBe(32);
});

test('is as large as allowed while commits are small', () => {
  const size = grown();
  for (let n = 0; n < 50; n++) size.committed(500, { operations: 500, bytes: 50_000 });
  expect(size.records).toBe(500);
});

test.each([
  ['changes', { operations: 2_500, bytes: 0 }, 160],
  ['bytes', { operations: 0, bytes: 5_000_000 }, 80],
])('comes down to what fits in %s, and up again', (_, commit, expected) => {
  const size = grown();
  for (let n = 0; n < 50; n++) size.committed(500, commit);
  expect(Math.abs(size.records - expected)).toBeLessThanOrEqual(1);
  for (let n = 0; n < 50; n++) size.committed(100, { operations: 100, bytes: 1_000 });
  expect(size.records).toBe(500);
});

test('a batch that takes too long makes the next ones smaller, and those that do not let them grow again', () => {
  const size = grown();
  size.processed(500, 4_000);
  expect(size.records).toBe(12);
  size.processed(12, 99);
  expect(size.records).toBe(24);
  size.processed(24, 200);
  expect(size.records).toBe(12);
  for (let n = 0; n < 10; n++) size.processed(size.records, 0);
  expect(size.records).toBe(500);
});

test('a small batch during which others keep the process busy says nothing about its records', () => {
  const size = grown();
  for (let n = 0; n < 10; n++) size.processed(3, 90);
  expect(size.records).toBe(500);
});

test('a record that is too much alone is still a batch, and batches without records say nothing', () => {
  const size = grown();
  size.committed(0, { operations: 1_000_000, bytes: 0 });
  size.processed(0, 1_000);
  expect(size.records).toBe(500);
  for (let n = 0; n < 50; n++) size.committed(1, { operations: 50_000, bytes: 0 });
  size.processed(1, 5_000);
  expect(size.records).toBe(1);
});
