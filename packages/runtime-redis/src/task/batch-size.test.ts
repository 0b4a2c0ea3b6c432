import { expect, test } from '@jest/globals';
import { BatchSize } from './batch-size.ts';

const LIMITS = { operations: 1_000, bytes: 1_000_000 };

test('is as large as allowed while commits are small', () => {
  const size = new BatchSize(500, LIMITS);
  expect(size.records).toBe(500);
  for (let n = 0; n < 50; n++) size.note(500, { operations: 500, bytes: 50_000 });
  expect(size.records).toBe(500);
});

test.each([
  ['changes', { operations: 2_500, bytes: 0 }, 160],
  ['bytes', { operations: 0, bytes: 5_000_000 }, 80],
])('comes down to what fits in %s, and up again', (_, commit, expected) => {
  const size = new BatchSize(500, LIMITS);
  for (let n = 0; n < 50; n++) size.note(500, commit);
  expect(Math.abs(size.records - expected)).toBeLessThanOrEqual(1);
  for (let n = 0; n < 50; n++) size.note(100, { operations: 100, bytes: 1_000 });
  expect(size.records).toBe(500);
});

test('a record that is too large alone is still a batch, and commits without records say nothing', () => {
  const size = new BatchSize(500, LIMITS);
  size.note(0, { operations: 1_000_000, bytes: 0 });
  expect(size.records).toBe(500);
  for (let n = 0; n < 50; n++) size.note(1, { operations: 50_000, bytes: 0 });
  expect(size.records).toBe(1);
});
