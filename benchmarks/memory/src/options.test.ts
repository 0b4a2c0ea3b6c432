import { expect, test } from '@jest/globals';
import { parseArguments } from './options.ts';

test('three rounds and text, unless something else is said', () => {
  expect(parseArguments(['memory'])).toEqual({ rounds: 3, json: false });
  expect(parseArguments(['memory', '--json', '--rounds', '5'])).toEqual({ rounds: 5, json: true });
});
