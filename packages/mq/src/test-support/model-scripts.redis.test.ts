import { afterAll, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { ModelPair } from './model-pair.ts';
import { type ModelStep, modelStep } from './model-step.ts';

let redis: Redis | undefined;
// Before the server stops.
afterAll(() => redis?.disconnect());
const server = useRedis();
const connection = (): Redis => (redis ??= new Redis(server().url));

/** Without an owner there is little to see. */
const FIRST: ModelStep = { do: 'acquire', token: 'a', from: 0 };

test('the model and the scripts agree', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(modelStep, { minLength: 50, maxLength: 60, size: 'max' }), async (steps) => {
      const pair = new ModelPair(connection());
      await pair.prepare();
      for (const each of [FIRST, ...steps]) await pair.take(each);
    }),
    { numRuns: 25 },
  );
});
