import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { conformance } from './test-support/conformance.ts';

const redis = useRedis();

test('without --no-redis the cases are run on Redis too, and nothing of them is left there', async () => {
  const variables = { REDIS_URL: redis().url };
  const before = await redis().cli('DBSIZE');
  const { code, stdout } = await conformance(['--only', 'time to live'], variables);
  expect(stdout).toMatch(/\n3 cases × 11 drivers: all equal\n$/);
  expect(code).toBe(0);
  expect(await redis().cli('DBSIZE')).toBe(before);
});
