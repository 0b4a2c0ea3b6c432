import { expect, test } from '@jest/globals';
import { peakHeap } from './probe.ts';

test('the peak is looked at now and then, over all runs', () => {
  const heap = [3, 9, 5].map((mb) => mb * 2 ** 20);
  let looks = 0;
  const peak = peakHeap({ heapUsed: () => heap[looks++] ?? 0 });
  for (let index = 0; index < 2 ** 17; index++) peak.look(index);
  expect([looks, peak.megabytes()]).toEqual([1, 3]);
  peak.look(2 ** 17);
  peak.look(0);
  expect([looks, peak.megabytes()]).toEqual([3, 9]);
});
