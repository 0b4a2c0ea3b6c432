import { expect, test } from '@jest/globals';
import { problemsOf, script } from './test-support/sources.ts';

const GOOD = script("return redis.call('GET', KEYS[1])");

test.each(['read', 'read-thing', 'read-2-things', 'newest'])('%s is a name', (name) => {
  expect(problemsOf({ [`${name}.lua`]: GOOD })).toEqual([]);
});

test.each(['readThing', 'read_thing', 'Read', '2-things', 'read--thing', '-read'])('%s is none', (name) => {
  expect(problemsOf({ [`${name}.lua`]: GOOD })).toEqual([
    `src/lua/${name}.lua:1:1 a file is named in lower case, with a hyphen between words: <verb>-<noun>.lua`,
  ]);
});

test('a word of the language is no name of a function', () => {
  expect(problemsOf({ 'delete.lua': GOOD })).toEqual([
    "src/lua/delete.lua:1:1 the script cannot be exported as 'delete', which has a meaning of its own: rename it",
  ]);
});

test('two scripts whose exports have one name are an error', () => {
  expect(problemsOf({ 'read.lua': GOOD, 'read-script.lua': GOOD })).toEqual([
    "src/lua/read-script.lua:1:1 the script cannot be exported as 'readScript', which has a meaning of its own: rename it",
  ]);
});
