import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { testSnippets } from '@rs/doc-snippets';
import { useRedis } from '@rs/redis-server/jest';

// Its own: examples use plain names, which a server that others use may have too.
const redis = useRedis({ own: true });

beforeAll(() => {
  process.env['REDIS_URL'] = redis().url;
});

testSnippets(join(__dirname, '../README.md'));
