import { expect, test } from '@jest/globals';
import { loadAirportNames, parseAirportNames } from './airports.ts';
import { loadFlights } from './flights.ts';

test('reads quoted names', () => {
  const csv = 'iata,name,city\nAAA,"Smith, John ""Jack"" Field",X\nBBB,Plain,Y\n';
  expect([...parseAirportNames(csv)]).toEqual([
    ['AAA', 'Smith, John "Jack" Field'],
    ['BBB', 'Plain'],
  ]);
});

test('knows the name of every airport that flights leave', async () => {
  const [names, flights] = await Promise.all([loadAirportNames(), loadFlights()]);
  expect(names.get('ORD')).toBe("Chicago O'Hare International");
  expect(flights.map(({ origin }) => origin).filter((origin) => !names.has(origin))).toEqual([]);
});
