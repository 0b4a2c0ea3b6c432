import { expect, test } from '@jest/globals';
import type { Delivery } from '../history/history.ts';
import { expectedOf } from '../model/model.ts';
import { entriesOf, history, LOG, rightDeliveries, SEED, tenure } from '../test-support/histories.ts';
import { checkDeliveries } from './check-deliveries.ts';

const right = rightDeliveries();
const ours = right.filter(({ n }) => entriesOf(2).some((entry) => entry.n === n));
const others = right.filter((each) => !ours.includes(each));
const next = tenure(2, { incarnation: 'worker-1#1', token: 'b2', epoch: 2, from: 3_000 });

function told(deliveries: readonly Delivery[], tenures = [tenure(2), next]) {
  const all = [...others, ...deliveries].sort((a, b) => a.at - b.at);
  const { repeats, violations } = checkDeliveries(
    history({ deliveries: all, tenures }),
    expectedOf(SEED, LOG),
  );
  return { repeats, what: violations.map(({ what }) => what) };
}
const byNext = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries.map((each, at) => ({ ...each, incarnation: 'worker-1#1', at: 9_000 + at }));

test('in order, without a gap', () => {
  expect(told(ours)).toEqual({ repeats: 0, what: [] });
});

test('who takes over may begin again earlier', () => {
  expect(told([...ours.slice(0, 20), ...byNext(ours.slice(14))])).toEqual({ repeats: 6, what: [] });
});

test('who takes over may not leave out anything', () => {
  const { what } = told([...ours.slice(0, 20), ...byNext(ours.slice(22))]);
  expect(what).toEqual([expect.stringMatching(/^partition 2: worker-1#1 left out 2 results before record/)]);
});

test('a repeat by one that has not taken over', () => {
  const [first] = ours;
  if (first === undefined) throw new Error('a delivery');
  expect(told([...ours, { ...first, at: 9_000 }]).what).toEqual([
    expect.stringContaining(
      `worker-0#1 delivered the result of record ${first.n} where that of another was next`,
    ),
  ]);
});

test('the same after it has taken the partition again', () => {
  const again = tenure(2, { token: 'c2', epoch: 3, from: 8_000 });
  const repeated = ours.slice(-3).map((each, at) => ({ ...each, at: 9_000 + at }));
  expect(told([...ours, ...repeated], [tenure(2), again])).toEqual({ repeats: 3, what: [] });
});

test('another content of a result', () => {
  const changed = ours.map((each, at) => (at === 5 ? { ...each, count: 99 } : each));
  expect(told(changed).what[0]).toMatch(/delivered \{"n":\d+,"count":99\}, which is no result$/);
});

test('results that never came', () => {
  expect(told(ours.slice(0, -4)).what).toEqual([expect.stringContaining('4 results were never delivered')]);
});
