import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InputQueue } from './input-queue.ts';

function entry(number: number): { type: 'entry'; entry: { id: string; fields: []; bytes: number } } {
  return { type: 'entry', entry: { id: `${number}-0`, fields: [], bytes: number } };
}

test('numbers its items from what was settled before', () => {
  const queue = new InputQueue(10, { offset: '7-0', ended: false });
  queue.push(entry(8));
  queue.push(entry(9));
  queue.push({ type: 'end' });
  expect(queue.at(9)).toBeUndefined();
  expect(queue.at(10)).toEqual(entry(8));
  expect(queue.at(13)).toBeUndefined();
  expect(queue.positionAt(10)).toEqual({ offset: '7-0', ended: false });
  expect(queue.positionAt(11)).toEqual({ offset: '8-0', ended: false });
  expect(queue.positionAt(12)).toEqual({ offset: '9-0', ended: false });
  expect(queue.positionAt(13)).toEqual({ offset: '9-0', ended: true });
});

test('an end right after the start leaves the offset where it was', () => {
  const queue = new InputQueue(0, { offset: '0-0', ended: false });
  queue.push({ type: 'end' });
  expect(queue.entriesFrom(0)).toBe(0);
  queue.settled(1);
  expect(queue.position).toEqual({ offset: '0-0', ended: true });
  expect(queue.positionAt(1)).toEqual({ offset: '0-0', ended: true });
});

test('whatever is settled in whatever steps, numbers mean the same entries', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5 }), { maxLength: 20 }), (steps) => {
      const queue = new InputQueue(0, { offset: '0-0', ended: false });
      for (let number = 1; number <= 100; number++) queue.push(entry(number));
      let settled = 0;
      for (const step of steps) {
        settled = Math.min(100, settled + step);
        queue.settled(settled);
        expect(queue.base).toBe(settled);
        expect(queue.length).toBe(100 - settled);
        expect(queue.position.offset).toBe(`${settled}-0`);
        const next = queue.at(settled);
        expect(next).toEqual(settled < 100 ? entry(settled + 1) : undefined);
        let bytes = 0;
        for (let left = settled + 1; left <= 100; left++) bytes += left;
        expect(queue.bytes).toBe(bytes);
      }
    }),
  );
});
