import { type Logger, RsError, silentLogger, systemClock } from '@rs/core';
import type { CallOptions, RedisClient } from '../client/client.ts';
import type { RedisNode } from '../driver/driver.ts';
import { type Capabilities, commonCapabilities } from './capabilities.ts';
import type { Finding } from './finding.ts';
import { type ServerFacts, factsOf } from './server-facts.ts';
import type { Product } from './server-info.ts';
import { checkSetup } from './setup-rules.ts';

export interface CheckServerOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  /**
   * Goes on although Redis may remove keys when its memory is full, and only warns about it: messages, leases and state can
   * then vanish silently. Default false.
   */
  readonly allowEviction?: boolean;
  /** Is told the warnings. Default: says nothing. */
  readonly logger?: Logger;
}

/** The masters, as they were found. */
export interface ServerReport {
  readonly servers: readonly {
    readonly node: RedisNode;
    readonly product: Product;
    readonly version: string;
  }[];
  /** What all masters can do. */
  readonly capabilities: Capabilities;
  readonly warnings: readonly Finding[];
}

/**
 * Looks at every master before anything is written: version (Redis 7.0, Valkey 7.2 or newer), single server or cluster,
 * master or replica, eviction, persistence.
 *
 * @throws RsError `RS_REDIS_UNSUPPORTED` for a server that is too old or of another kind, `RS_REDIS_CONFIG` for one that is
 *   set up so that nothing would work or data would be lost; `details.findings` has all of them. As `RedisClient.command`
 *   when a master does not answer
 */
export async function checkServer(
  client: RedisClient,
  options: CheckServerOptions = {},
): Promise<ServerReport> {
  const { allowEviction = false, logger = silentLogger, timeout, signal } = options;
  const calls: CallOptions = {
    ...(timeout === undefined ? {} : { timeout }),
    ...(signal === undefined ? {} : { signal }),
  };
  const facts = await factsOfMasters(client, calls);
  const findings = facts.flatMap((each) =>
    checkSetup(each, { topology: client.topology, allowEviction }).map((verdict) => ({
      ...verdict,
      subject: subjectOf(each.node),
    })),
  );
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length > 0) throw refused(errors);
  const warnings = findings.filter(({ level }) => level === 'warning');
  for (const finding of warnings)
    logger.warn(finding, `Redis ${finding.subject}: ${finding.message}; ${finding.advice}`);
  return {
    servers: facts.map(({ node, product, version }) => ({ node, product, version })),
    capabilities: commonCapabilities(facts.map((each) => each.capabilities)),
    warnings,
  };
}

async function factsOfMasters(client: RedisClient, calls: CallOptions): Promise<ServerFacts[]> {
  const masters = await client.masters(calls);
  return Promise.all(masters.map((master) => factsOf(master, systemClock, calls)));
}

export function subjectOf({ host, port }: RedisNode): string {
  return `${host}:${port}`;
}

function refused(errors: readonly Finding[]): RsError {
  const unsupported = errors.some(({ code }) => code === 'version' || code === 'product');
  return new RsError(
    unsupported ? 'RS_REDIS_UNSUPPORTED' : 'RS_REDIS_CONFIG',
    errors.map(({ subject, message, advice }) => `Redis ${subject}: ${message}; ${advice}`).join('\n'),
    { details: { findings: errors } },
  );
}
