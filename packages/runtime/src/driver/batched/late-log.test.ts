import { expect, test } from '@jest/globals';
import { LateLog } from './late-log.ts';

const record = (operator: string, value: number) => ({
  operator,
  key: 'k',
  value,
  timestamp: 1,
  watermark: 9,
});

test('late records are counted by operator, and kept while somebody wants them', () => {
  let wanted = false;
  const log = new LateLog(() => wanted);
  log.note(record('a', 1));
  expect(log.facts).toEqual({ late: { a: 1 } });
  wanted = true;
  log.note(record('b', 2));
  log.note(record('a', 3));
  expect(log.facts).toEqual({ late: { a: 2, b: 1 }, lateRecords: [record('b', 2), record('a', 3)] });
});

test('what a commit has of them stays as it was', () => {
  const log = new LateLog(() => true);
  log.note(record('a', 1));
  const { facts } = log;
  log.clear();
  expect(log.facts).toEqual({ late: {} });
  log.note(record('a', 2));
  expect(facts).toEqual({ late: { a: 1 }, lateRecords: [record('a', 1)] });
});

test('an operator may have any name', () => {
  const log = new LateLog(() => false);
  log.note(record('__proto__', 1));
  expect(Object.entries(log.facts.late)).toEqual([['__proto__', 1]]);
});
