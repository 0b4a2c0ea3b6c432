import { measureCase, type Probe } from '@rs/bench-harness';
import { expect, test } from '@jest/globals';
import { strictSequence, strictSequenceAsJob } from './case.ts';

/** Every run takes one second. */
function probe(): Probe {
  let now = 0;
  return { now: () => (now += 1_000), heapUsed: () => 0, rssMb: () => 50, collectGarbage: () => {} };
}

test('measures matchers beside the machine by hand and RxJS, with equal results', async () => {
  const sequence = strictSequence(3_000, probe());
  const { variants, extra } = await sequence.open();
  const measured = await measureCase(variants, 1, sequence.figures);
  const facts = { median: 3_000, min: 3_000, max: 3_000, records: 3_000, figures: {} };
  expect(measured).toEqual([
    { name: 'by hand', role: 'limit', ...facts },
    { name: '@rs', role: 'ours', ...facts },
    { name: 'rxjs bufferCount', role: 'peer', ...facts },
    { name: 'rxjs scan', role: 'peer', ...facts },
  ]);
  expect(extra?.()).toEqual({ rssMb: 50 });
});

test('measures a job, with equal results', async () => {
  const sequence = strictSequenceAsJob(3_000, probe());
  const { variants } = await sequence.open();
  const measured = await measureCase(variants, 1, sequence.figures);
  expect(measured.map(({ name, role }) => `${name}: ${role}`)).toEqual([
    'by hand: limit',
    '@rs: ours',
    'matchers: aside',
  ]);
});
