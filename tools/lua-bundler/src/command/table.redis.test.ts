import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { CallExpression } from 'luaparse';
import { parseLua } from '../lua-file.ts';
import { literalText } from '../program/literal.ts';
import { programOf } from '../program/program.ts';
import { commandCalls } from './calls.ts';
import { COMMANDS, REFUSED } from './table.ts';

const server = useRedis();

/** The keys of a command by the table: all arguments are plain words here. */
function keysOf(name: string, args: readonly string[]): string[] {
  const words = [name, ...args].map((word) => (/^-?\d+$/.test(word) ? word : `'${word}'`));
  const file = parseLua('call.lua', `redis.call(${words.join(', ')})`);
  if ('message' in file) throw new Error(file.message);
  const [call] = commandCalls(programOf([file])).calls;
  const found = COMMANDS.get(name)?.keys((call?.node as CallExpression).arguments.slice(1));
  if (found === undefined || 'unclear' in found) throw new Error(`${name}: ${found?.unclear ?? 'unknown'}`);
  return found.keys.map((key) => literalText(key) ?? '');
}

/** Arguments with which a server finds the keys of a command that has more than one, or not at the first place. */
const SAMPLES: readonly string[] = [
  ...[
    'BITOP AND a b c',
    'COPY a b',
    'LMOVE a b LEFT RIGHT',
    'RENAME a b',
    'RENAMENX a b',
    'RPOPLPUSH a b',
    'SMOVE a b x',
  ],
  ...['DEL a b', 'EXISTS a b', 'MGET a b', 'PFCOUNT a b', 'PFMERGE a b', 'TOUCH a b', 'UNLINK a b'],
  ...['MSET a 1 b 2', 'MSETNX a 1 b 2', 'OBJECT ENCODING a', 'MEMORY USAGE a'],
  ...['LMPOP 2 a b LEFT', 'ZMPOP 2 a b MIN', 'SINTERCARD 2 a b LIMIT 1', 'ZINTERCARD 2 a b LIMIT 1'],
  ...['SDIFF a b', 'SINTER a b', 'SUNION a b', 'SDIFFSTORE a b c', 'SINTERSTORE a b c', 'SUNIONSTORE a b c'],
  ...[
    'ZDIFF 2 a b',
    'ZINTER 2 a b',
    'ZUNION 2 a b',
    'ZDIFFSTORE a 2 b c',
    'ZINTERSTORE a 2 b c',
    'ZUNIONSTORE a 2 b c',
  ],
  ...['ZRANGESTORE a b 0 1', 'GEOSEARCHSTORE a b FROMMEMBER m BYRADIUS 1 m'],
  ...['XREAD COUNT 1 STREAMS a b 0 0', 'XREADGROUP GROUP g c COUNT 1 STREAMS a b 0 0'],
  ...['XGROUP CREATE a g 0', 'XGROUP CREATECONSUMER a g c', 'XGROUP DELCONSUMER a g c', 'XGROUP DESTROY a g'],
  ...['XGROUP SETID a g 0', 'XINFO CONSUMERS a g', 'XINFO GROUPS a', 'XINFO STREAM a'],
];

describe('the table of commands agrees with the server', () => {
  test.each(SAMPLES)('%s', async (sample) => {
    const [name = '', ...args] = sample.split(' ');
    expect(keysOf(name, args)).toEqual(await server().cli('COMMAND', 'GETKEYS', name, ...args));
  });

  test('on all others: their only key comes first, or they have none', async () => {
    const sampled = new Set(SAMPLES.map((sample) => sample.split(' ')[0]));
    const names = [...COMMANDS.keys()].filter((name) => !sampled.has(name));
    const infos = (await server().cli('COMMAND', 'INFO', ...names)) as unknown[];
    const known = names.flatMap((name, at) => {
      const info = infos[at];
      // A command of a newer server: its place is in the documentation.
      return Array.isArray(info) ? [{ name, first: Number(info[3]), last: Number(info[4]) }] : [];
    });
    expect(known.length).toBeGreaterThan(90);
    const expected = known.map(({ name }) => {
      const place = keysOf(name, ['a', 'b', 'c', 'd', 'e', 'f']).length;
      return { name, first: place, last: place };
    });
    expect(known).toEqual(expected);
  });

  test('no command is both known and refused', () => {
    expect([...COMMANDS.keys()].filter((name) => REFUSED.has(name))).toEqual([]);
  });
});
