import { type Clock, isRsError } from '@rs/core';
import type { CallOptions, MasterHandle } from '../client/client.ts';
import type { RedisNode, RedisReply } from '../driver/driver.ts';
import { type Capabilities, PROBED, capabilitiesOf } from './capabilities.ts';
import { type Product, type ServerInfo, productOf, readInfo } from './server-info.ts';

/** What a server says about itself. */
export interface ServerFacts {
  readonly node: RedisNode;
  readonly product: Product;
  readonly version: string;
  readonly info: ServerInfo;
  /** Undefined: neither CONFIG nor INFO tells. */
  readonly evictionPolicy: string | undefined;
  /** The points at which it saves; `''` for none. Undefined where CONFIG is forbidden. */
  readonly savePoints: string | undefined;
  readonly capabilities: Capabilities;
  /** Milliseconds that its clock is ahead of ours, give or take half the round trip. */
  readonly clockOffset: number;
  /** Milliseconds, the shortest of some. */
  readonly roundTrip: number;
}

const PINGS = 3;

/** @throws RsError when INFO is not answered; everything else may be forbidden */
export async function factsOf(
  master: MasterHandle,
  clock: Clock,
  options: CallOptions,
): Promise<ServerFacts> {
  const ask = (name: string, ...args: string[]): Promise<RedisReply> =>
    master.command({ name, args }, options);
  const asked = async (name: string, ...args: string[]): Promise<RedisReply> => {
    try {
      return await ask(name, ...args);
    } catch (reason) {
      if (isRsError(reason, 'RS_REDIS_REPLY') || isRsError(reason, 'RS_REDIS_AUTH')) return reason;
      throw reason;
    }
  };
  const info = readInfo(String(await ask('INFO')));
  const { product, version } = productOf(info);
  const roundTrip = await shortest(clock, PINGS, () => asked('PING'));
  const before = clock.now();
  const time = await asked('TIME');
  const between = (before + clock.now()) / 2;
  return {
    node: master.node,
    product,
    version,
    info,
    evictionPolicy: valueIn(await asked('CONFIG', 'GET', 'maxmemory-policy')) ?? info.get('maxmemory_policy'),
    savePoints: valueIn(await asked('CONFIG', 'GET', 'save')),
    capabilities: capabilitiesOf(product, version, await asked('COMMAND', 'INFO', ...PROBED)),
    clockOffset: millisIn(time) === undefined ? 0 : Math.round((millisIn(time) ?? 0) - between),
    roundTrip,
  };
}

async function shortest(clock: Clock, times: number, run: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < times; i++) {
    const before = clock.now();
    await run();
    least = Math.min(least, clock.now() - before);
  }
  return least;
}

/** Of `[name, value]`. */
function valueIn(reply: RedisReply): string | undefined {
  const value: RedisReply | undefined = Array.isArray(reply)
    ? (reply as readonly RedisReply[])[1]
    : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Of `[seconds, microseconds]`. */
function millisIn(reply: RedisReply): number | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [seconds, micros] = (reply as readonly RedisReply[]).map(Number);
  return seconds === undefined || micros === undefined ? undefined : seconds * 1000 + micros / 1000;
}
