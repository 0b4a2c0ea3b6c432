import { describe, expect, test } from '@jest/globals';
import { systemIds } from '@rs/mq';
import { TopicKeys } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { appendOutputs } from '../lua/scripts.generated.ts';
import { coded } from '../test-support/coded.ts';
import { ModelRedis } from '../test-support/model-outputs.ts';
import { useStore } from '../test-support/use-store.ts';

const bench = useStore(useRedis());

const partition = () => new TopicKeys({ topic: `append-${systemIds()}`, shards: 1 }).partition(0);

interface Call {
  readonly source: string;
  readonly gen: string;
  readonly replaces: string;
  readonly previous: string;
  readonly positions: readonly string[];
}

function callOf(keys: ReturnType<typeof partition>, { source, gen, replaces, previous, positions }: Call) {
  const entries = positions.flatMap((id) => [id, '1,json,-,', '', '', `"${source} ${gen} ${id}"`]);
  return appendOutputs({
    keys: { stream: keys.log, sources: keys.sources },
    args: { source, gen, replaces, previous, entries },
  });
}

const first: Call = {
  source: 'a',
  gen: 'g',
  replaces: '',
  previous: '0-0',
  positions: ['1-0', '1-1', '2-0'],
};

describe('append-outputs', () => {
  test('appends each position once, whatever is sent again', async () => {
    const keys = partition();
    const client = bench.client();
    const run = (call: Partial<Call>) => client.run(callOf(keys, { ...first, ...call }));
    expect(await run({})).toEqual(['OK', 3]);
    expect(await run({})).toEqual(['OK', 0]);
    expect(await run({ positions: ['1-1', '2-0', '10-0', '10-10', '10-9007199254740993'] })).toEqual([
      'OK',
      3,
    ]);
    // Compared as numbers: as text 9-0 would come after 10-0.
    expect(await run({ previous: '2-0', positions: ['9-0'] })).toEqual(['OK', 0]);
    expect(await run({ source: 'b' })).toEqual(['OK', 3]);
    expect(await bench.redis.xlen(keys.log)).toBe(9);
    expect(await bench.redis.hgetall(keys.sources)).toEqual({ a: 'g 10-9007199254740993', b: 'g 2-0' });
  });

  test('says what is missing, and whose history is there, and writes nothing', async () => {
    const keys = partition();
    const client = bench.client();
    const run = (call: Partial<Call>) => client.run(callOf(keys, { ...first, ...call }));
    expect(await run({ previous: '1-0' })).toEqual(['GAP', '0-0']);
    await run({});
    expect(await run({ previous: '3-0', positions: ['4-0'] })).toEqual(['GAP', '2-0']);
    expect(await run({ gen: 'h' })).toEqual(['OTHER', 'g']);
    expect(await bench.redis.xlen(keys.log)).toBe(3);
    expect(await run({ gen: 'h', replaces: 'g' })).toEqual(['OK', 3]);
    expect(await run({})).toEqual(['OTHER', 'h']);
  });

  test('refuses keys of another type and incomplete entries before it writes', async () => {
    const keys = partition();
    const client = bench.client();
    await bench.redis.set(keys.log, 'x');
    await expect(client.run(callOf(keys, first))).rejects.toEqual(coded('RS_REDIS_REPLY'));
    expect(await bench.redis.exists(keys.sources)).toBe(0);
    await bench.redis.del(keys.log);
    await bench.redis.set(keys.sources, 'x');
    await expect(client.run(callOf(keys, first))).rejects.toEqual(coded('RS_REDIS_REPLY'));
    await bench.redis.del(keys.sources);
    await expect(client.run(callOf(keys, { ...first, positions: [] }))).rejects.toEqual(
      coded('RS_REDIS_REPLY'),
    );
    for (const wrong of [{ positions: ['1-0', 'x'] }, { previous: '' }]) {
      await expect(client.run(callOf(keys, { ...first, ...wrong }))).rejects.toEqual(coded('RS_REDIS_REPLY'));
    }
    expect(await bench.redis.exists(keys.log, keys.sources)).toBe(0);
  });

  test('does what the model of the other tests does', async () => {
    const position = fc
      .tuple(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 0, max: 11 }))
      .map(([seq, at]) => `${seq}-${at}`);
    const bySize = (a: string, b: string): number => {
      const [seqA = 0, atA = 0] = a.split('-').map(Number);
      const [seqB = 0, atB = 0] = b.split('-').map(Number);
      return seqA - seqB || atA - atB;
    };
    const call = fc.record<Call>({
      source: fc.constantFrom('a', 'b'),
      gen: fc.constantFrom('g', 'g', 'h'),
      replaces: fc.constantFrom('', 'g', 'h'),
      previous: fc.oneof(fc.constant('0-0'), position),
      positions: fc.uniqueArray(position, { minLength: 1, maxLength: 6 }).map((ids) => ids.sort(bySize)),
    });
    const client = bench.client();
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }), async (calls) => {
        const keys = partition();
        const model = new ModelRedis();
        const modelled = model.client(
          () => 'ok',
          () => Promise.resolve(),
        );
        for (const each of calls) {
          expect(await client.run(callOf(keys, each))).toEqual(await modelled.run(callOf(keys, each)));
        }
        const entries = await bench.redis.xrange(keys.log, '-', '+');
        expect(entries.map(([, fields]) => fields)).toEqual(
          model.stream(keys.log).map(({ fields }) => fields),
        );
        expect(await bench.redis.hgetall(keys.sources)).toEqual(Object.fromEntries(model.hash(keys.sources)));
      }),
      { numRuns: 60 },
    );
  });
});
