import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import { jsonReport } from './report-json.ts';
import { tableReport } from './report-table.ts';
import { type Results, addsUp } from './results.ts';

const results: Results = {
  sent: 1_010,
  handled: 1_000,
  duplicates: 2,
  deadLetters: 10,
  seconds: 8.25,
  kill: { worker: 'worker-1', handled: 400, partitions: [0, 1], at: 0 },
  takeover: { heirs: ['worker-2', 'worker-3'], after: 2_340 },
  retries: 20,
  lostLeases: 0,
  turnover: 1_234_567,
  shares: [
    { worker: 'worker-2', partition: 0, entries: 700 },
    { worker: 'worker-1', partition: 0, entries: 202 },
    { worker: 'worker-1', partition: 1, entries: 100 },
  ],
  dead: [10, 0],
  causes: [{ reason: 'handler', signature: 'refused', example: 'card refused', count: 10 }],
};

const table = (changed: Partial<Results> = {}): string =>
  tableReport({ ...results, ...changed }, pc.createColors(false));

describe('jsonReport', () => {
  test('is one document of the counts', () => {
    expect(JSON.parse(jsonReport(results))).toEqual({
      sent: 1_010,
      handled: 1_000,
      duplicates: 2,
      deadLetters: 10,
      seconds: 8.25,
    });
  });
});

describe('addsUp', () => {
  test('every message is handled or dead', () => {
    expect(addsUp(results)).toBe(true);
    expect(addsUp({ ...results, handled: 999 })).toBe(false);
    expect(addsUp({ ...results, deadLetters: 11 })).toBe(false);
  });
});

describe('tableReport', () => {
  test('tells what happened', () => {
    const text = table();
    expect(text).toContain('1,010 orders through a topic of 2 partitions in 8.3 s');
    expect(text).toContain('1,010 sent = 1,000 handled + 10 dead letters; $12,346 charged');
    expect(text).toContain(
      'worker-1 was killed when 400 were done. It had partitions 0 and 1. worker-2 and worker-3 went on there within 2.3 s.',
    );
    expect(text).toContain('2 orders were handled again, being under way when its worker was killed');
    expect(text).toContain('20 attempts failed and were made again.');
  });

  test('has a row for each partition, a column for each worker, and sums', () => {
    const rows = table()
      .split('\n')
      .filter((line) => line.startsWith('│'))
      .map((line) =>
        line
          .split('│')
          .map((cell) => cell.trim())
          .slice(1, -1),
      );
    expect(rows.slice(0, 4)).toEqual([
      ['partition', 'worker-1 (killed)', 'worker-2', 'dead letters'],
      ['0', '202', '700', '10'],
      ['1', '100', '0', '0'],
      ['all', '302', '700', '10'],
    ]);
    expect(rows.slice(4)).toEqual([
      ['reason', 'such as', 'signature', 'count'],
      ['handler', 'card refused', 'refused', '10'],
    ]);
  });

  test('says when nobody was killed, nothing came twice, or the machine was too busy', () => {
    const calm = table({ kill: undefined, takeover: undefined, duplicates: 0, causes: [] });
    expect(calm).toContain('No order was handled twice.');
    expect(calm).not.toContain('killed');
    expect(calm).not.toContain('Dead letters by cause');
    expect(table({ takeover: undefined })).toContain('Nothing was left to do there.');
    expect(table({ lostLeases: 1 })).toMatch(/was killed or lost its lease.*\n1 lease ran out/);
  });
});
