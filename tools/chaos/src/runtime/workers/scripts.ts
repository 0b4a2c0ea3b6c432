import { readFileSync } from 'node:fs';

const GENERATED = new URL(
  '../../../../../packages/runtime-redis/src/lua/scripts.generated.ts',
  import.meta.url,
);
const SCRIPT = /name: '([^']+)',\s+sha1: '([0-9a-f]{40})'/g;

/** The names of the engine's scripts by the hash that EVALSHA takes. They are no part of its API, and faults are aimed at them. */
export function scriptNames(): ReadonlyMap<string, string> {
  const source = readFileSync(GENERATED, 'utf8');
  return new Map([...source.matchAll(SCRIPT)].map(([, name = '', sha1 = '']) => [sha1, name]));
}
