import { expect, test } from '@jest/globals';
import type { PointOrder } from '../../faults/point-order.ts';
import { Points } from './points.ts';

const commit = { name: 'commit-task', keys: [], args: [] };
const read = { name: 'XRANGE', keys: [], args: [] };
const order = (facts: Partial<PointOrder> = {}): PointOrder => ({
  ...{ call: 'commit-task', when: 'before', nth: 2, what: 'die', ...facts },
});

function pointsWith(first: PointOrder | undefined) {
  const died: string[] = [];
  const points = new Points(() => died.push('died'));
  points.take(first);
  return { points, died };
}

test('dies before the n-th call of that name', () => {
  const { points, died } = pointsWith(order());
  for (const call of [commit, read, read]) points.sending(call);
  expect(points.answered(commit)).toBe(true);
  expect(died).toEqual([]);
  points.sending(commit);
  expect(died).toEqual(['died']);
});

test('dies after the n-th reply, counted from the order on', () => {
  const { points, died } = pointsWith(undefined);
  points.answered(commit);
  points.take(order({ when: 'after' }));
  points.answered(commit);
  points.sending(commit);
  expect(died).toEqual([]);
  points.answered(commit);
  expect(died).toEqual(['died']);
});

test('loses one reply', () => {
  const { points, died } = pointsWith(order({ when: 'after', what: 'lose', nth: 1 }));
  expect([read, commit, commit].map((call) => points.answered(call))).toEqual([true, false, true]);
  expect(died).toEqual([]);
});
