import { expect, test } from '@jest/globals';
import { EventSequence } from './event-sequence.ts';

test('has events and times', () => {
  const sequence = new EventSequence(['a', 'b'], 5, 8);
  expect(sequence).toMatchObject({
    events: ['a', 'b'],
    startTime: 5,
    endTime: 8,
    first: 'a',
    last: 'b',
    size: 2,
    isEmpty: false,
    duration: 3,
  });
  expect(JSON.stringify(sequence)).toBe('{"events":["a","b"],"startTime":5,"endTime":8}');
});

test('can be empty', () => {
  expect(new EventSequence([], 0, 0)).toMatchObject({ first: null, last: null, size: 0, isEmpty: true });
});

test('without times it is of now', () => {
  let now = 41;
  const sequence = new EventSequence(['a'], undefined, undefined, { now: () => ++now });
  expect(sequence).toMatchObject({ startTime: 42, endTime: 42 });
  expect(new EventSequence().duration).toBe(0);
});

test('may end before it starts', () => {
  expect(new EventSequence(['b', 'a'], 5, 3).duration).toBe(-2);
});

test('addEvent appends, and leaves the times', () => {
  const sequence = new EventSequence(['a'], 5, 5);
  sequence.addEvent('b');
  expect(sequence).toMatchObject({ events: ['a', 'b'], last: 'b', startTime: 5, endTime: 5 });
});

test('copies its list', () => {
  const events = ['a'];
  const sequence = new EventSequence(events, 0, 0);
  events.push('b');
  sequence.events.push('c');
  expect(sequence.events).toEqual(['a']);
});

test('refuses one time alone, and what is no time', () => {
  expect(() => new EventSequence([], 5)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  expect(() => new EventSequence([], 5, 0.5)).toThrow(
    expect.objectContaining({ code: 'RS_INVALID_TIMESTAMP' }),
  );
});
