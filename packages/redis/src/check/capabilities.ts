import type { RedisReply } from '../driver/driver.ts';
import { type Product, isAtLeast } from './server-info.ts';

/** What newer servers can do beyond the floor. Nothing needs it; where it is there, it saves work. */
export interface Capabilities {
  /** XACKDEL: acknowledges and deletes in one step. */
  readonly xackdel: boolean;
  /** XNACK: gives an entry back without waiting for its idle time. */
  readonly xnack: boolean;
  /** HPEXPIRE: fields of a hash with a time to live. */
  readonly hpexpire: boolean;
  /** XREADGROUP … CLAIM: reads new entries and idle ones of others together. */
  readonly xreadgroupClaim: boolean;
  /** WAITAOF: waits until a write is on disk. */
  readonly waitaof: boolean;
}

/** The commands that are asked for. */
export const PROBED = ['XACKDEL', 'XNACK', 'HPEXPIRE', 'WAITAOF'] as const;

/**
 * @param reply of COMMAND INFO with `PROBED`: null in the place of a command that does not exist. An error means that we may
 *   not ask, and then nothing is assumed
 */
export function capabilitiesOf(product: Product, version: string, reply: RedisReply): Capabilities {
  const known = Array.isArray(reply) ? (reply as readonly RedisReply[]) : [];
  const has = (command: (typeof PROBED)[number]): boolean => Array.isArray(known[PROBED.indexOf(command)]);
  return {
    xackdel: has('XACKDEL'),
    xnack: has('XNACK'),
    hpexpire: has('HPEXPIRE'),
    // An option of a command, which no command tells about.
    xreadgroupClaim: product === 'redis' && isAtLeast(version, '8.4'),
    waitaof: has('WAITAOF'),
  };
}

/** What all of them can do. */
export function commonCapabilities(all: readonly Capabilities[]): Capabilities {
  const every = (name: keyof Capabilities): boolean => all.length > 0 && all.every((one) => one[name]);
  return {
    xackdel: every('xackdel'),
    xnack: every('xnack'),
    hpexpire: every('hpexpire'),
    xreadgroupClaim: every('xreadgroupClaim'),
    waitaof: every('waitaof'),
  };
}
