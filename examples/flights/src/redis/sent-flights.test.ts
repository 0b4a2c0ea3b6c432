import { describe, expect, test } from '@jest/globals';
import { SentFlights } from './sent-flights.ts';

const sent = new SentFlights(2);
for (const id of ['1-0', '1-1', '2-0']) sent.add(0, id);
for (const id of ['1-0', '3-0']) sent.add(1, id);

describe('how many flights are committed', () => {
  test.each<[string, { partition: number; id: string }[], number[], number]>([
    ['none at first', [], [], 0],
    ['none where the position is before all of them', [{ partition: 0, id: '0-0' }], [], 0],
    [
      'those up to the position of each partition',
      [
        { partition: 0, id: '1-1' },
        { partition: 1, id: '1-0' },
      ],
      [],
      3,
    ],
    ['all of a partition that has ended', [{ partition: 0, id: '1-0' }], [1], 3],
    ['each once, where the position is told too', [{ partition: 0, id: '2-0' }], [0, 1], 5],
  ])('%s', (_, offsets, ended, expected) => {
    expect(sent.committed({ type: 'progress', offsets, ended })).toBe(expected);
  });
});
