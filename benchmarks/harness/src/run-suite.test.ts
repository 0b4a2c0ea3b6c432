import { expect, test } from '@jest/globals';
import { NoSuchCase, runSuite } from './run-suite.ts';
import type { Case, Suite } from './suite.ts';

/** A suite of two cases that notes what is opened and closed. */
function suiteOf(log: string[], run = () => 1): Suite {
  const named = (name: string): Case => ({
    name,
    unit: 'records/s',
    figures: {},
    open: () => {
      log.push(`open ${name}`);
      const variant = { run: () => ({ value: run(), records: 1 }) };
      return {
        variants: [
          { name: '@rs', role: 'ours', ...variant },
          { name: 'loop', role: 'limit', ...variant },
        ],
        close: async () => void log.push(`close ${name}`),
      };
    },
  });
  return {
    name: 'both',
    open: async () => {
      log.push('open');
      return {
        redis: '7.0.15',
        cases: [named('end to end'), named('produce')],
        close: async () => void log.push('close'),
      };
    },
  };
}

test('runs one case after the other and tells each as soon as it is done', async () => {
  const log: string[] = [];
  const report = await runSuite(suiteOf(log), {
    rounds: 2,
    only: undefined,
    say: (text) => log.push(text.trim().split(/[,\n]/)[0] ?? ''),
  });
  expect(report).toMatchObject({ suite: 'both', node: process.version, redis: '7.0.15', rounds: 2 });
  expect(report.cases.map(({ name }) => name)).toEqual(['end to end', 'produce']);
  expect(log).toEqual([
    'open',
    'both',
    ...['open end to end', 'end to end', 'close end to end'],
    ...['open produce', 'produce', 'close produce'],
    'close',
  ]);
});

test('runs only those whose name has the text', async () => {
  const log: string[] = [];
  const report = await runSuite(suiteOf(log), { rounds: 1, only: 'prod', say: () => undefined });
  expect(report.cases.map(({ name }) => name)).toEqual(['produce']);
});

test('a text that no name has is refused with the names', async () => {
  const log: string[] = [];
  const running = runSuite(suiteOf(log), { rounds: 1, only: 'latency', say: () => undefined });
  await expect(running).rejects.toThrow(NoSuchCase);
  await expect(running).rejects.toThrow(/'latency'.*\n {2}end to end\n {2}produce$/);
  expect(log).toEqual(['open', 'close']);
});

test('what fails ends the run and leaves nothing open', async () => {
  const log: string[] = [];
  const failing = suiteOf(log, () => {
    throw new Error('wrong result');
  });
  await expect(runSuite(failing, { rounds: 1, only: undefined, say: () => undefined })).rejects.toThrow(
    'wrong result',
  );
  expect(log).toEqual(['open', 'open end to end', 'close end to end', 'close']);
});
