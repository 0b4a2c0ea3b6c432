import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import type { Alert } from './alert.ts';
import { jsonReport } from './report-json.ts';
import { MAX_LISTED, tableReport, type TableContext } from './report-table.ts';
import { written } from './test-support/written.ts';

const alert: Alert = {
  rule: 'card-testing',
  account: 'ada',
  start: 0,
  end: 300_000,
  events: written('login US@0, change@1, confirm@2, 1.5@3, 1234@5'),
};
const results = { events: 20_000, late: 3, alerts: [alert] };

test('the JSON document has exactly the documented fields', () => {
  expect(jsonReport(results)).toBe(
    '{"events":20000,"late":3,"alerts":[{"rule":"card-testing","account":"ada","start":0,"end":300000,' +
      '"events":["1","2","3","4","5"]}]}\n',
  );
});

describe('the table', () => {
  const context: TableContext = {
    data: {
      frauds: [
        { rule: 'card-testing', account: 'ada', events: ['1', '2', '3', '4', '5'] },
        { rule: 'takeover', account: 'bob', events: ['6', '7'] },
      ],
      lookAlikes: [{ name: 'two logins at home', account: 'eve', events: ['8', '9'] }],
    },
    asJob: true,
    colors: pc.createColors(false),
  };

  test('says what was found, missed, and told of without reason', () => {
    const wrong: Alert = { ...alert, rule: 'takeover', account: 'eve', start: 61_000, events: [] };
    expect(tableReport({ ...results, alerts: [alert, wrong] }, context)).toBe(
      [
        'Fraud in 20,000 events, found by a job',
        '3 late; 2 alerts: 1 of 2 planted frauds, 1 false; 1 look-alike planted too',
        '',
        '┌───────────────────┬───────┬────────┬───────┐',
        '│ rule              │ found │ missed │ false │',
        '├───────────────────┼───────┼────────┼───────┤',
        '│ card-testing      │     1 │      0 │     0 │',
        '│ takeover          │     0 │      1 │     1 │',
        '│ rising-amounts    │     0 │      0 │     0 │',
        '│ impossible-travel │     0 │      0 │     0 │',
        '└───────────────────┴───────┴────────┴───────┘',
        '',
        '┌──────────────┬─────────┬─────────────────────┬────────────────────────────────────────────────────────┐',
        '│ rule         │ account │ began               │ events                                                 │',
        '├──────────────┼─────────┼─────────────────────┼────────────────────────────────────────────────────────┤',
        '│ card-testing │ ada     │ 1970-01-01 00:00:00 │ login from US, password changed, confirmed, $1.50,     │',
        '│              │         │                     │ $1234.00                                               │',
        '│ takeover     │ eve     │ 1970-01-01 00:01:01 │                                                        │',
        '└──────────────┴─────────┴─────────────────────┴────────────────────────────────────────────────────────┘',
        '',
      ].join('\n'),
    );
  });

  test('lists some of the alerts, and says how many there are', () => {
    const report = tableReport({ ...results, alerts: Array<Alert>(MAX_LISTED + 2).fill(alert) }, context);
    expect(report.match(/│ ada /g)).toHaveLength(MAX_LISTED);
    expect(report).toContain('\nand 2 more, which --json has\n');
  });

  test('has no list where there is no alert', () => {
    const report = tableReport({ ...results, alerts: [] }, { ...context, asJob: false });
    expect(report).toContain('found by matchers alone');
    expect(report).not.toContain('began');
  });

  test('has colours only where they were asked for', () => {
    const escape = '\u001b[';
    expect(tableReport(results, context)).not.toContain(escape);
    expect(tableReport(results, { ...context, colors: pc.createColors(true) })).toContain(`${escape}1m`);
  });
});
