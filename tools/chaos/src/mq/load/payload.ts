import { Dice } from '../../seed/dice.ts';
import { hash } from '../../seed/hash.ts';
import type { MessageName } from './plan.ts';

const LARGE = 40_000;

/** The bytes of a message: any bytes, no text in any encoding, one in a hundred of them many. */
export function payloadOf(seed: number, { key, n }: MessageName): Buffer {
  const dice = new Dice(hash(seed, key, n, 'payload'));
  const payload = Buffer.alloc(dice.chance(0.01) ? LARGE : dice.integer(0, 300));
  for (let at = 0; at < payload.length; at++) payload[at] = dice.integer(0, 255);
  return payload;
}
