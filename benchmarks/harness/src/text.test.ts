import { expect, test } from '@jest/globals';
import type { Measured } from './measure.ts';
import { highest } from './statistics.ts';
import type { Role } from './suite.ts';
import { caseText, heading } from './text.ts';

function measured(name: string, role: Role, value: number, figures: Record<string, number> = {}): Measured {
  return { name, role, median: value, min: value - 1_000, max: value + 1_000, records: 10_000, figures };
}

test('the text says how fast, how spread and beside whom', () => {
  const figures = {
    cpu: { of: highest, digits: 0, text: (percent: string) => `client ${percent} % CPU` },
    rssMb: { of: highest, digits: 1, text: (mb: string) => `the process took ${mb} MB at most` },
  };
  const all = [
    measured('loop', 'limit', 2_000_000, { cpu: 99.6 }),
    measured('@rs', 'ours', 500_000, { cpu: 50 }),
    measured('bullmq', 'peer', 10_000),
    measured('by the way', 'aside', 20_000),
  ];
  expect(caseText({ name: 'sums', unit: 'records/s', figures }, all, { rssMb: 99.96 })).toBe(
    [
      'sums, 10,000 records',
      '  @rs             500,000 records/s  (499,000 to 501,000), client 50 % CPU',
      '  loop          2,000,000 records/s  (1,999,000 to 2,001,000), client 100 % CPU',
      '  bullmq           10,000 records/s  (9,000 to 11,000)',
      '  by the way       20,000 records/s  (19,000 to 21,000)',
      '  25.0 % of the loop; 50.00 × bullmq; the process took 100.0 MB at most',
    ].join('\n'),
  );
});

test('the heading', () => {
  const facts = { suite: 'memory', node: 'v20.19.0', redis: null, rounds: 3 };
  expect(heading(facts)).toBe('memory, Node.js v20.19.0, median of 3 rounds');
  expect(heading({ ...facts, suite: 'mq', redis: '7.0.15', rounds: 1 })).toBe(
    'mq, Node.js v20.19.0, Redis 7.0.15, median of 1 round',
  );
});
