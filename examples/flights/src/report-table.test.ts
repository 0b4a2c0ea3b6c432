import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import { type TableContext, tableReport } from './report-table.ts';

const context: TableContext = {
  windowing: { kind: 'tumbling', size: 86_400_000 },
  outOfOrderness: 1_800_000,
  airportNames: new Map([['ORD', "Chicago O'Hare International"]]),
  colors: pc.createColors(false),
};

const results = {
  records: 20_000,
  late: 12,
  windows: [
    { origin: 'ORD', start: 0, end: 10, flights: 30, totalDelay: 100, maxDelay: 1_250 },
    { origin: 'XXX', start: 0, end: 10, flights: 20, totalDelay: -10, maxDelay: 3 },
    { origin: 'YYY', start: 0, end: 10, flights: 1, totalDelay: 900, maxDelay: 900 },
  ],
};

describe('tableReport', () => {
  test('says what was computed and ranks the airports, with their names', () => {
    expect(tableReport(results, context)).toBe(
      [
        'Delays of flights by airport, windows of 1d',
        '20,000 flights read, out of order by up to 30m; 12 late; 3 windows',
        '',
        'Longest mean delay, of the airports with at least 20 flights in their windows:',
        '┌───┬────────────────────────────────────┬─────────┬────────────┬───────────┐',
        '│   │ airport                            │ flights │ mean delay │ max delay │',
        '├───┼────────────────────────────────────┼─────────┼────────────┼───────────┤',
        "│ 1 │ Chicago O'Hare International (ORD) │      30 │    3.3 min │ 1,250 min │",
        '│ 2 │ unknown (XXX)                      │      20 │   -0.5 min │     3 min │',
        '└───┴────────────────────────────────────┴─────────┴────────────┴───────────┘',
        '',
      ].join('\n'),
    );
  });

  test.each([
    [{ kind: 'sliding', size: 3_600_000, slide: 600_000 } as const, 'windows of 1h every 10m'],
    [{ kind: 'session', gap: 5_400_000 } as const, 'sessions that end after 90m without a flight'],
  ])('names the windows %j', (windowing, text) => {
    expect(tableReport(results, { ...context, windowing })).toContain(`by airport, ${text}\n`);
  });

  test('says so when no airport has enough flights', () => {
    const report = tableReport({ records: 1, late: 0, windows: [] }, context);
    expect(report).toContain('1 flight read');
    expect(report).toContain('No airport has 20 flights in its windows.');
  });

  test('shows the worst alerts where they were asked for', () => {
    const alert = (origin: string, last: number) => ({
      origin,
      times: [0, 3_600_000, 3_660_000],
      delays: [-1, 5, last],
    });
    const alerts = [alert('ORD', 61), alert('XXX', 1_061)];
    expect(tableReport({ ...results, alerts }, context)).toBe(
      `${tableReport(results, context)}${[
        '',
        '2 alerts: three departures in a row with longer and longer delays, the last above 60 min. The worst:',
        '┌────────────────────────────────────┬────────────────────────────────┬──────────────────┐',
        '│ airport                            │ scheduled departures           │           delays │',
        '├────────────────────────────────────┼────────────────────────────────┼──────────────────┤',
        '│ unknown (XXX)                      │ 1970-01-01 00:00, 01:00, 01:01 │ -1, 5, 1,061 min │',
        "│ Chicago O'Hare International (ORD) │ 1970-01-01 00:00, 01:00, 01:01 │    -1, 5, 61 min │",
        '└────────────────────────────────────┴────────────────────────────────┴──────────────────┘',
        '',
      ].join('\n')}`,
    );
    expect(tableReport({ ...results, alerts: [] }, context)).toMatch(/\n\nNo alerts: [^\n]+\n$/);
  });

  test('has colours only where they were asked for', () => {
    const escape = '\u001b[';
    expect(tableReport(results, context)).not.toContain(escape);
    expect(tableReport(results, { ...context, colors: pc.createColors(true) })).toContain(`${escape}1m`);
  });
});
