import { expect, test } from '@jest/globals';
import { partitionOf } from '@rs/core';
import { shardOf } from './shard-of.ts';

// Where stored state is found: these may never change.
test.each([
  ['', 16, 11],
  ['s:a', 16, 1],
  ['s:b', 16, 4],
  ['n:1', 16, 14],
  ['s:größe', 16, 5],
  ['s:a', 7, 1],
  ['s:a', 1, 0],
])('%p on %i shards: %i', (key, shards, shard) => {
  expect(shardOf(key, shards)).toBe(shard);
});

test.each([1, 8, 16, 32])('the keys of one of %i partitions use all shards alike', (partitions) => {
  const shards = 16;
  const counts = new Array<number>(shards).fill(0);
  for (let n = 0, found = 0; found < 16_000; n++) {
    if (partitionOf(`user-${n}`, partitions) !== 0) continue;
    found++;
    const shard = shardOf(`s:user-${n}`, shards);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  for (const count of counts) {
    expect(count).toBeGreaterThan(850);
    expect(count).toBeLessThan(1_150);
  }
});
