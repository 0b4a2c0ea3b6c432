import { createHash } from 'node:crypto';
import type { Script } from '../script/script.ts';

/** A script that a real server runs. */
export function realScript(name: string, source: string, resendable = true): Script {
  return { name, source, sha1: createHash('sha1').update(source).digest('hex'), resendable };
}

/** Appends ARGV[1] to the list KEYS[1] unless it is there: it may be sent any number of times. */
export const appendOnce = realScript(
  'append-once',
  "if redis.call('LPOS', KEYS[1], ARGV[1]) then return 'DUP' end redis.call('RPUSH', KEYS[1], ARGV[1]) return 'OK'",
);

export const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
