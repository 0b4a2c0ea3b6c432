import { expect, test } from '@jest/globals';
import { match } from './match-stream.ts';
import { is, letter, shown } from './test-support/letters.ts';

const at = (event: string): number => Number(event.slice(1));

async function all(matches: AsyncIterable<Parameters<typeof shown>[0]>): Promise<string[]> {
  const texts: string[] = [];
  for await (const found of matches) texts.push(shown(found));
  return texts;
}

test('yields matches of an async source, and at its end those that waited for time', async () => {
  async function* source() {
    yield* ['a1', 'b5', 'a20'];
  }
  const pattern = letter('a').notFollowedBy(is('b')).within(10);
  expect(await all(match(source(), pattern, { timestamp: at }))).toEqual(['{a20}']);
});

test('takes arrays too, and closes a source that is left early', async () => {
  const pattern = letter('a').next('b', is('b'));
  expect(await all(match(['a1', 'b2', 'a3', 'b4'], pattern, { timestamp: at }))).toEqual([
    '{a1 b2}',
    '{a3 b4}',
  ]);

  let closed = false;
  async function* endless() {
    try {
      for (let i = 0; ; i += 2) yield* [`a${i}`, `b${i + 1}`];
    } finally {
      closed = true;
    }
  }
  for await (const found of match(endless(), pattern, { timestamp: at })) {
    expect(shown(found)).toBe('{a0 b1}');
    break;
  }
  expect(closed).toBe(true);
});

test('without the time of events, that of their arrival', async () => {
  expect(await all(match(['a', 'b'], letter('a').next('b', is('b'))))).toEqual(['{a b}']);
  const times = [100, 50, 109, 200, 210];
  const clock = { now: () => times.shift() ?? NaN };
  const pattern = letter('a').followedBy('b', is('b')).within(10);
  // The clock goes back once: the second event comes at 100 too.
  expect(await all(match(['a1', 'a2', 'b1', 'a3', 'b2'], pattern, { clock }))).toEqual([
    '{a1 b1}',
    '{a2 b1}',
  ]);
});

test('what cannot be iterated', async () => {
  for (const events of [5, undefined, {}]) {
    await expect(all(match(events as never, letter('a')))).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
    });
  }
});

test('a time that is no function', async () => {
  await expect(all(match(['a'], letter('a'), { timestamp: 5 as never }))).rejects.toMatchObject({
    code: 'RS_INVALID_ARGUMENT',
  });
});
