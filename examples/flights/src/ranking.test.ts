import { expect, test } from '@jest/globals';
import { rankAirports, worstAlerts } from './ranking.ts';

const windowOf = (origin: string, flights: number, totalDelay: number, maxDelay = 0) => ({
  origin,
  start: 0,
  end: 10,
  flights,
  totalDelay,
  maxDelay,
});

test('adds up the windows of an airport', () => {
  expect(rankAirports([windowOf('A', 15, 30, 7), windowOf('A', 10, -5, 9)])).toEqual([
    { origin: 'A', flights: 25, totalDelay: 25, maxDelay: 9 },
  ]);
});

test('longest mean first, ties by code', () => {
  const windows = [
    windowOf('C', 20, 20),
    windowOf('B', 40, 80),
    windowOf('D', 20, -5),
    windowOf('A', 20, 20),
  ];
  expect(rankAirports(windows).map(({ origin }) => origin)).toEqual(['B', 'A', 'C', 'D']);
});

test('leaves out airports with fewer than 20 flights, and shows ten', () => {
  expect(rankAirports([windowOf('A', 19, 999), windowOf('B', 20, 1)]).map(({ origin }) => origin)).toEqual([
    'B',
  ]);
  const many = Array.from({ length: 12 }, (_, i) => windowOf(`X${i}`, 20, i));
  expect(rankAirports(many).map(({ totalDelay }) => totalDelay)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
});

test('the alerts with the longest last delay, ties in their order', () => {
  const alerts = [70, 90, 65, 90, 61, 80, 62].map((last, i) => ({
    origin: `X${i}`,
    times: [0, 1, 2],
    delays: [0, 1, last],
  }));
  expect(worstAlerts(alerts).map(({ origin }) => origin)).toEqual(['X1', 'X3', 'X5', 'X0', 'X2']);
});
