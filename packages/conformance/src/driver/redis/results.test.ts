import { expect, test } from '@jest/globals';
import { lateRecords } from './results.ts';

function told(...tasks: readonly (readonly [string, number, Readonly<Record<string, number>>])[]) {
  return { tasks: tasks.map(([task, partition, late]) => ({ task, partition, lateRecords: late })) };
}

test('late records of a task count once, however many processes have worked on it', () => {
  const first = told(['events', 0, { windows: 2 }], ['events', 1, { windows: 1 }]);
  const second = told(['events', 0, { windows: 5, others: 1 }]);
  expect(lateRecords([first, second])).toEqual({ windows: 6, others: 1 });
});

test('of two tasks with one number they are added up', () => {
  expect(lateRecords([told(['events', 0, { windows: 2 }], ['words', 0, { windows: 3 }])])).toEqual({
    windows: 5,
  });
});
