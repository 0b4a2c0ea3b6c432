import { type Clock, isRsError, systemClock } from '@rs/core';
import type { CallOptions, MasterHandle, RedisClient } from '../client/client.ts';
import { subjectOf } from './check-server.ts';
import { type Finding, type Verdict, error } from './finding.ts';
import { checkHealth } from './health-rules.ts';
import { factsOf } from './server-facts.ts';
import { checkSetup } from './setup-rules.ts';

export interface DoctorOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /** As in `checkServer`. Default false. */
  readonly allowEviction?: boolean;
  /** Ours, which those of the servers are compared with. */
  readonly clock?: Clock;
}

/**
 * Looks at every master, how it is set up and how it is doing, and says what it found, the good included. A server that does
 * not answer is a finding too.
 *
 * @throws only what ends every call: `RS_CLOSED`, and the signal's reason
 */
export async function doctor(client: RedisClient, options: DoctorOptions = {}): Promise<Finding[]> {
  const { allowEviction = false, clock = systemClock, timeout, signal } = options;
  const calls: CallOptions = {
    ...(timeout === undefined ? {} : { timeout }),
    ...(signal === undefined ? {} : { signal }),
  };
  let masters: readonly MasterHandle[];
  try {
    masters = await client.masters(calls);
  } catch (reason) {
    return [{ ...verdictOn(reason), subject: 'redis' }];
  }
  const findings = await Promise.all(
    masters.map(async (master) => {
      const verdicts = await examine(master);
      return verdicts.map((verdict) => ({ ...verdict, subject: subjectOf(master.node) }));
    }),
  );
  return findings.flat();

  async function examine(master: MasterHandle): Promise<Verdict[]> {
    try {
      const facts = await factsOf(master, clock, calls);
      return [...checkSetup(facts, { topology: client.topology, allowEviction }), ...checkHealth(facts)];
    } catch (reason) {
      return [verdictOn(reason)];
    }
  }
}

function verdictOn(reason: unknown): Verdict {
  if (!isRsError(reason) || reason.code === 'RS_CLOSED') throw reason;
  if (reason.code === 'RS_REDIS_CONFIG')
    return error('topology', reason.message, 'make the ioredis instance that fits the server');
  const advice =
    reason.code === 'RS_REDIS_AUTH'
      ? 'check user and password, and that the user may run INFO, PING and TIME'
      : 'check address, port, TLS and firewall, and that the server runs';
  return error('unreachable', reason.message, advice);
}
