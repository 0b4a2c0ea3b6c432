import { hash } from '../../seed/hash.ts';

/** A message, by what decides on everything else of it. */
export interface MessageName {
  readonly key: string;
  /** Its number among those of its key, from 1. */
  readonly n: number;
}

/** What a handler does with a message, whoever handles it. */
export interface Plan {
  /** Attempts up to this one fail. */
  readonly failures: number;
  /** It becomes a dead letter by the handler's decision. */
  readonly dead: boolean;
  /** Milliseconds; 0 for a handler that does not wait. */
  readonly takes: number;
  /** It gives up when its signal is aborted. */
  readonly heeds: boolean;
}

const PER_MILLE = 1_000;

/** Decided by the message alone, so that each delivery of it, in whichever process, meets the same handler. */
export function planOf(seed: number, { key, n }: MessageName): Plan {
  const chance = (what: string): number => hash(seed, key, n, what) % PER_MILLE;
  const fate = chance('fate');
  const slow = chance('slow') < 5;
  return {
    failures: fate < 30 ? 1 : fate < 40 ? 2 : 0,
    dead: fate >= 40 && fate < 52,
    takes: slow ? 150 + chance('long') : chance('short') % 4,
    heeds: chance('heeds') < 500,
  };
}
