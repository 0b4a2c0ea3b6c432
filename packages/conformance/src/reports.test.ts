import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import { runSuite } from './suite.ts';
import { aVariant, giving } from './test-support/fakes.ts';
import type { Driver } from './driver.ts';

const OUT = ['a 1', 'b 1', 'a 2'];
const right = giving(OUT, {}, 'right one');
const wrong = giving(['a 1', 'b 1'], {}, 'wrong');
const alsoWrong = giving(['a 1', 'b 1'], {}, 'also wrong');
const unable: Driver = { ...right, name: 'unable', supports: () => false };

const NO_COLORS = pc.createColors(false);

describe('the table', () => {
  test('has a row for each case with a sign for each driver, and the outcome in its last line', async () => {
    const variants = [aVariant(1), aVariant(4, { area: 'windows', name: 'another' })];
    const text = tableReport(await runSuite(variants, { drivers: [right, unable] }), NO_COLORS);
    expect(text).toMatch(/│ stateless: a case +│ +1 │ +✓ +│ +– +│/);
    expect(text).toMatch(/│ windows: another +│ +4 │ +✓ +│ +– +│/);
    expect(text.trimEnd().split('\n').at(-1)).toBe('2 cases × 2 drivers: all equal');
    expect(text).not.toContain('\u001b');
  });

  test('shows what is different below, once for all drivers that have it', async () => {
    const drivers = [right, wrong, alsoWrong];
    const text = tableReport(await runSuite([aVariant(1)], { drivers }), NO_COLORS);
    expect(text).toMatch(/│ stateless: a case +│ +1 │ +✓ +│ +✗ +│ +✗ +│/);
    expect(text.split('\n').slice(-8)).toEqual([
      '',
      'stateless: a case, 1 partition on wrong, also wrong',
      "sink 'out':",
      '    … 2 as expected',
      "  - 'a 2'",
      '',
      '1 case × 3 drivers: 2 different',
      '',
    ]);
  });

  test('has colours where they are wanted', async () => {
    const report = await runSuite([aVariant(1)], { drivers: [right, wrong] });
    expect(tableReport(report, pc.createColors(true))).toContain(pc.createColors(true).red('✗'));
  });
});

describe('the document', () => {
  test('has the drivers, the cases with their results, and whether all are equal', async () => {
    const variants = [aVariant(1), aVariant(4)];
    const text = jsonReport(await runSuite(variants, { drivers: [right, wrong, unable] }));
    const results = { 'right one': 'equal', wrong: 'different', unable: 'unsupported' };
    expect(JSON.parse(text)).toEqual({
      drivers: ['right one', 'wrong', 'unable'],
      cases: [
        { name: 'a case', area: 'stateless', partitions: 1, results },
        { name: 'a case', area: 'stateless', partitions: 4, results },
      ],
      equal: false,
    });
  });
});
