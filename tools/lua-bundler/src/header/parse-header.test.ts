import { describe, expect, test } from '@jest/globals';
import type { Problem } from '../problem.ts';
import { parseHeader } from './parse-header.ts';

const HEADER = `-- Settles what the owner of a partition has finished.
-- In one go.
--
-- Nothing else.
--
-- KEYS[1]    stream   the partition's log
-- KEYS[2]    lease    lease of the group,
--                     and its position
-- KEYS[3...] lanes    one per lane
-- ARGV[1]    token    text     the owner's token
-- ARGV[2]    count    integer  how many
-- ARGV[3]    body     bytes    the body
-- ARGV[4...] ids      any      which
-- Returns    OK, n
--            FENCED
--              when it is not the owner
--
-- Errors     none
-- Slot       the partition
-- Complexity O(n)
-- Resend     safe: it is absolute
-- @include owner

return 1`;

function parse(text: string) {
  const problems: Problem[] = [];
  const header = parseHeader('a.lua', text, problems);
  return { header, problems: problems.map(({ line, column, message }) => `${line}:${column} ${message}`) };
}

describe('the header', () => {
  test('is read with all its parts, and texts keep their lines', () => {
    const { header, problems } = parse(HEADER);
    expect(problems).toEqual([]);
    expect(header).toMatchObject({
      description: 'Settles what the owner of a partition has finished.\nIn one go.\n\nNothing else.',
      keys: {
        fixed: [
          { name: 'stream', text: "the partition's log" },
          { name: 'lease', text: 'lease of the group,\nand its position' },
        ],
        tail: { name: 'lanes', text: 'one per lane' },
      },
      args: {
        fixed: [
          { name: 'token', type: 'text' },
          { name: 'count', type: 'integer' },
          { name: 'body', type: 'bytes' },
        ],
        tail: { name: 'ids', type: 'any' },
      },
      returns: 'OK, n\nFENCED\n  when it is not the owner',
      errors: 'none',
      resendable: true,
    });
  });

  test('may have no arguments, and only a tail of keys', () => {
    const text = HEADER.replace(/-- ARGV.*\n/g, '').replace(/-- KEYS\[[12]\].*\n(-- {5,}.*\n)?/g, '');
    expect(parse(text.replace('KEYS[3...]', 'KEYS[1...]')).header).toMatchObject({
      keys: { fixed: [], tail: { name: 'lanes' } },
      args: { fixed: [], tail: undefined },
    });
  });

  test('unsafe to send again', () => {
    expect(parse(HEADER.replace('safe: it is', 'unsafe: it is not')).header?.resendable).toBe(false);
  });

  test('runs when Redis is full only if it says so', () => {
    expect(parse(HEADER).header?.runsWhenFull).toBe(false);
    const text = HEADER.replace(
      '-- @include',
      '-- Memory     full: goes on, since it makes room\n-- @include',
    );
    expect(parse(text)).toMatchObject({ header: { runsWhenFull: true }, problems: [] });
  });

  test.each([
    [
      'no comment',
      () => 'return 1',
      ['1:1 a script begins with the comment that describes it: what it does, KEYS, ARGV, Returns …'],
    ],
    [
      'a blank line before it',
      () => `\n${HEADER}`,
      ['1:1 a script begins with the comment that describes it: what it does, KEYS, ARGV, Returns …'],
    ],
    [
      'no description',
      () => HEADER.split('\n').slice(5).join('\n'),
      ['1:1 the header says what the script does'],
    ],
    ...['Returns', 'Errors', 'Slot', 'Complexity', 'Resend'].map(
      (part): [string, () => string, unknown[]] => [
        `no ${part}`,
        () => HEADER.replace(new RegExp(`-- ${part}.*\n(-- {5,}.*\n)*(--\n)?`), ''),
        [expect.stringMatching(`^\\d+:1 the header has no '${part}'$`)],
      ],
    ),
    [
      'no keys',
      () => HEADER.replace(/-- KEYS.*\n(-- {5,}.*\n)?/g, ''),
      ["17:1 the header has no 'KEYS[1]': the keys decide on the server that runs the script"],
    ],
    ['a part without text', () => HEADER.replace('the partition\n', '\n'), ["19:15 'Slot' says nothing"]],
    [
      'a part that is there twice',
      () => HEADER.replace('-- Errors', '-- Slot x\n-- Errors'),
      ["20:4 'Slot' is there twice"],
    ],
    [
      'an unknown part',
      () => HEADER.replace('-- Slot', '-- Slots'),
      [
        expect.stringMatching('^19:4 unknown part of the header; known are KEYS'),
        "21:1 the header has no 'Slot'",
      ],
    ],
    [
      'Resend that says neither',
      () => HEADER.replace('safe: it', 'yes, it'),
      ["21:15 'Resend' is 'safe: <why>' or 'unsafe: <why>'"],
    ],
    [
      'Resend without why',
      () => HEADER.replace('safe: it is absolute', 'safe:'),
      ["21:15 'Resend' is 'safe: <why>' or 'unsafe: <why>'"],
    ],
    [
      'Memory without why',
      () => HEADER.replace('-- @include', '-- Memory     full: goes on\n-- @include'),
      ["22:15 'Memory' is 'full: goes on, since <why>', or left out"],
    ],
    [
      'Memory that says nothing',
      () => HEADER.replace('-- @include', '-- Memory\n-- @include'),
      ["22:10 'Memory' says nothing"],
    ],
    [
      'a gap in the keys',
      () => HEADER.replace('KEYS[2]', 'KEYS[4]'),
      ["7:4 'KEYS[4]' is out of order: the next index is 2"],
    ],
    [
      'a gap in the arguments',
      () => HEADER.replace('ARGV[1] ', 'ARGV[0] '),
      ["10:4 'ARGV[0]' is out of order: the next index is 1"],
    ],
    [
      'an index that is none',
      () => HEADER.replace('KEYS[2]', 'KEYS[x]'),
      ["7:4 'KEYS[x]' has no index such as [1] or [1...]"],
    ],
    [
      'something after the tail',
      () => HEADER.replace('ARGV[3] ', 'ARGV[3...]'),
      ["13:4 'ARGV[4...]' comes after the entry that stands for all that follow"],
    ],
    [
      'an unknown type',
      () => HEADER.replace('integer', 'number'),
      ["11:15 after its name an argument has its type, one of text, integer, bytes, any; got 'number'"],
    ],
    [
      'a malformed name',
      () => HEADER.replace('lease ', 'Lease '),
      ["7:15 'Lease' is no name: letters and digits, the first one lower-case"],
    ],
    [
      'a name that is there twice',
      () => HEADER.replace('lease ', 'stream '),
      ["7:15 the name 'stream' is there twice"],
    ],
    [
      'a key without text',
      () => HEADER.replace("the partition's log", ''),
      ["6:15 'stream' is not described"],
    ],
    ['an argument without text', () => HEADER.replace('how many', ''), ["11:15 'count' is not described"]],
  ])('%s', (_, text, expected) => {
    const { header, problems } = parse(text());
    expect(problems).toEqual(expected);
    expect(header).toBeUndefined();
  });

  test('everything that is wrong is told at once', () => {
    expect(parse('-- Does.\n-- Slot one\n').problems).toHaveLength(5);
  });
});
