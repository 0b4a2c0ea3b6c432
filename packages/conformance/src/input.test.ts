import { describe, expect, test } from '@jest/globals';
import { events } from './input.ts';

describe('events', () => {
  test('key, amount and time; the amount is 1 where it is not given', () => {
    expect(events('a:5@10 long-key@12 b:-3@-4')).toEqual([
      { topic: 'events', key: 'a', value: { key: 'a', amount: 5, at: 10 }, timestamp: 10 },
      { topic: 'events', key: 'long-key', value: { key: 'long-key', amount: 1, at: 12 }, timestamp: 12 },
      { topic: 'events', key: 'b', value: { key: 'b', amount: -3, at: -4 }, timestamp: -4 },
    ]);
  });

  test.each(['a', 'a@', 'a:@1', 'a:x@1', '@1', 'a:1@1.5', ''])('%p is refused', (text) => {
    expect(() => events(text)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  });
});
