import { findProgram } from '../find/find-program.ts';
import type { Program } from '../machine/machine.ts';
import { makeCertificates } from './certificates.ts';
import { configFile, type Directive } from './config.ts';
import { startGroup } from './group.ts';
import { dataDirectives, extraLines, type RedisOptions } from './options.ts';
import type { RedisNode } from './server.ts';
import { sharedServer } from './shared-server.ts';

/** A standalone server. */
export interface RedisServer extends RedisNode {
  /** Ends the server and removes its directory. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a server on a free port of 127.0.0.1, with a directory of its own. It ends with `stop`, and with this process,
 * however that ends.
 *
 * With `REDIS_URL` and without options nothing is started: all callers get that server, `stop` leaves it alone and
 * `kill`, `restart`, `pause` and `resume` are refused. Such callers share its keys.
 *
 * @throws Error when no Redis is found, with the ways to get one, and when the server does not take the configuration
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const url = process.env['REDIS_URL'];
  if (url !== undefined && url !== '' && wantsNothingSpecial(options)) return sharedServer(url);
  return startStandalone(await findProgram(), options);
}

function wantsNothingSpecial({
  own,
  persistence,
  appendfsync,
  tls,
  acl,
  requirepass,
  config,
}: RedisOptions): boolean {
  return (
    own !== true &&
    persistence !== 'aof' &&
    appendfsync === undefined &&
    tls !== true &&
    (acl ?? []).length === 0 &&
    requirepass === undefined &&
    Object.keys(config ?? {}).length === 0
  );
}

export function startStandalone(program: Program, options: RedisOptions): Promise<RedisServer> {
  const { tls, requirepass, config } = options;
  return startGroup(program, 1, async (group, [port = 0]) => {
    const { host, bind } = group.machine;
    const certificates = tls === true ? await makeCertificates(host) : undefined;
    const directives = [
      ...dataDirectives(bind, options),
      ...(certificates === undefined ? plainPort(port) : tlsPort(port)),
    ];
    const server = await group.start({
      port,
      files: {
        'redis.conf': configFile(directives) + extraLines(config),
        ...(certificates === undefined
          ? {}
          : { 'server.crt': certificates.cert, 'server.key': certificates.key }),
      },
      password: requirepass,
      tls: certificates === undefined ? undefined : { ca: certificates.cert },
    });
    return Object.assign(server, { stop: () => group.stop() });
  });
}

function plainPort(port: number): Directive[] {
  return [['port', String(port)]];
}

function tlsPort(port: number): Directive[] {
  return [
    ['port', '0'],
    ['tls-port', String(port)],
    ['tls-cert-file', 'server.crt'],
    ['tls-key-file', 'server.key'],
    ['tls-auth-clients', 'no'],
  ];
}
