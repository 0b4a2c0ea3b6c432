import { expect, test } from '@jest/globals';
import { CAST } from '../load/cast.ts';
import { scriptNames } from './scripts.ts';

test('every point that faults are aimed at is a script of the engine or a command', () => {
  const names = new Set(scriptNames().values());
  const points = [...CAST.points.anytime, ...CAST.points.fresh];
  expect(points.filter((call) => !names.has(call) && call !== call.toUpperCase())).toEqual([]);
});
