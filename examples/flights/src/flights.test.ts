import { describe, expect, test } from '@jest/globals';
import { inArrivalOrder, loadFlights, parseFlights } from './flights.ts';

const row = { date: '2001/01/31 23:59', delay: -5, distance: 407, origin: 'LAS', destination: 'OAK' };

describe('parseFlights', () => {
  test('takes the scheduled date as UTC', () => {
    expect(parseFlights(JSON.stringify([row]))).toEqual([
      {
        row: 0,
        scheduled: Date.UTC(2001, 0, 31, 23, 59),
        delay: -5,
        distance: 407,
        origin: 'LAS',
        destination: 'OAK',
      },
    ]);
  });

  test.each([
    null,
    5,
    {},
    { ...row, date: '2001/02/30 10:00' },
    { ...row, date: '2001/01/01 24:01' },
    { ...row, date: '2001-01-01 10:00' },
    { ...row, date: '2001/01/01 10:00:00' },
    { ...row, date: 980985540000 },
    { ...row, delay: '5' },
    { ...row, delay: 0.5 },
    { ...row, delay: null },
    { ...row, distance: undefined },
    { ...row, origin: '' },
    { ...row, destination: 7 },
  ])('refuses the row %j and names it', (bad) => {
    const text = JSON.stringify([row, bad]);
    expect(() => parseFlights(text)).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
    expect(() => parseFlights(text)).toThrow(/^row 1 of the flights is no flight/);
  });

  test('refuses what is no list', () => {
    expect(() => parseFlights('{}')).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
  });
});

describe('inArrivalOrder', () => {
  const flight = (scheduled: number, delay: number, origin: string) => ({
    row: 0,
    scheduled: scheduled * 60_000,
    delay,
    origin,
    distance: 1,
    destination: 'Z',
  });

  test('orders by scheduled departure + delay, ties in the order of the file', () => {
    const flights = [
      flight(10, 5, 'first'),
      flight(0, 20, 'last'),
      flight(20, -5, 'second'),
      flight(15, 0, 'third'),
    ];
    expect(inArrivalOrder(flights).map(({ origin }) => origin)).toEqual(['first', 'second', 'third', 'last']);
  });

  test('leaves the given list as it is', () => {
    const flights = [flight(1, 0, 'b'), flight(0, 0, 'a')];
    inArrivalOrder(flights);
    expect(flights.map(({ origin }) => origin)).toEqual(['b', 'a']);
  });
});

test('the data set arrives complete and out of order', async () => {
  const flights = await loadFlights();
  expect(flights).toHaveLength(20_000);
  expect(new Set(flights.map(({ row }) => row)).size).toBe(20_000);
  expect(new Set(flights.map(({ scheduled }) => new Date(scheduled).getUTCFullYear()))).toEqual(
    new Set([2001]),
  );
  const behind = flights.filter(({ scheduled }, i) => scheduled < (flights[i - 1]?.scheduled ?? scheduled));
  expect(behind.length).toBeGreaterThan(1_000);
});
