import type { RedisCommand } from '@rs/redis';

/** A command as faults and journals see it. */
export interface Call {
  /** Name of the script, or of the command. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** @param scripts names by hash */
export function callOf({ name, args }: RedisCommand, scripts: ReadonlyMap<string, string>): Call {
  if (name !== 'EVALSHA') return { name, keys: [], args: [] };
  const [sha1, count, ...rest] = args;
  const keys = Number(count);
  return {
    name: scripts.get(String(sha1)) ?? name,
    keys: rest.slice(0, keys).map(String),
    // The first few tell everything; a commit has hundreds.
    args: rest.slice(keys, keys + 8).map(String),
  };
}

const PARTITION = /:p(\d+):t:/;

/** The partition of a call about a task. */
export function partitionOfCall({ keys }: Call): number {
  return Number(PARTITION.exec(keys[0] ?? '')?.[1] ?? -1);
}
