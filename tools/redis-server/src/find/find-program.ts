import { join } from 'node:path';
import type { Program } from '../machine/machine.ts';
import { aptPlace } from './apt.ts';
import { floorText } from './binary.ts';
import { pathPlace } from './binaries.ts';
import { brewPlace } from './brew.ts';
import { cachePlace } from './cache.ts';
import { dockerPlace } from './docker.ts';
import type { Place, Say } from './place.ts';

const WORKSPACE = join(import.meta.dirname, '../../../..');
const CACHE = join(WORKSPACE, 'node_modules/.cache/redis-server');

/** In the order in which they are tried: what is there comes before what has to be fetched. */
const PLACES: readonly Place[] = [
  pathPlace(),
  cachePlace(CACHE),
  dockerPlace(),
  aptPlace(CACHE),
  brewPlace(),
];

// What a process has found, it keeps: the answer does not change, and one line is printed.
let found: Promise<Program> | undefined;

/**
 * A Redis that this machine can start; it is fetched when there is none. A line on stderr says which one it is.
 *
 * @throws Error that names the ways to get one
 */
export function findProgram(): Promise<Program> {
  found ??= search(PLACES, announce);
  return found;
}

const announced = new Set<string>();

/** Says on stderr, once per process, where a server comes from. */
export function announce(line: string): void {
  if (announced.has(line)) return;
  announced.add(line);
  process.stderr.write(`redis-server: ${line}\n`);
}

/** Tries the places in their order. */
export async function search(places: readonly Place[], say: Say): Promise<Program> {
  const failures: string[] = [];
  for (const place of places) {
    try {
      const program = await place.look(say);
      if (program === undefined) continue;
      say([program.label, ...failures.map((failure) => `passed over: ${failure}`)].join('; '));
      return program;
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new Error(
    [
      `No Redis found, and none could be fetched; ${floorText()} is needed. Any of these helps:`,
      ['set REDIS_URL to a running server', ...places.flatMap(({ advice }) => advice ?? [])]
        .map((advice) => `  - ${advice}`)
        .join('\n'),
      ...(failures.length === 0 ? [] : ['What was tried:', ...failures.map((failure) => `  - ${failure}`)]),
    ].join('\n'),
  );
}
