import { findProgram } from '../find/find-program.ts';
import { configFile, type Directive } from './config.ts';
import { eventually } from '../eventually.ts';
import { type ServerGroup, startGroup } from './group.ts';
import { commonDirectives, type DataOptions, dataDirectives, extraLines } from './options.ts';
import { type OwnServer, type RedisNode, type Reply, rows } from './server.ts';

export interface SentinelOptions extends DataOptions {
  /** Default 1. */
  readonly replicas?: number;
  /** A majority of them has to agree on a failover. Default 1. */
  readonly sentinels?: number;
}

/** A master, its replicas and the Sentinels that watch them. */
export interface SentinelSetup {
  readonly masterName: string;
  readonly sentinels: readonly RedisNode[];
  /** As of the start, or of what `failover` or `newMaster` last saw. */
  readonly master: RedisNode;
  /** The servers that are not the master, running or not. */
  readonly replicas: readonly RedisNode[];
  /** Has the Sentinels make a replica the master, and waits until all servers that run follow it. */
  failover(): Promise<RedisNode>;
  /**
   * Waits until the Sentinels name another master than `master`, and that one is it: some two seconds after
   * `master.kill()`.
   */
  newMaster(): Promise<RedisNode>;
  /** Ends all servers and removes their directories. Idempotent. */
  stop(): Promise<void>;
}

const MASTER_NAME = 'rs-master';
/** Milliseconds without an answer until a server is taken for dead: short, and long enough for a busy machine. */
const DOWN_AFTER = '1000';
/** Milliseconds; twice as long passes between two attempts at a failover. */
const FAILOVER_TIMEOUT = '2000';

/**
 * Starts a master, its replicas and Sentinels, and waits until the Sentinels know all of them, so that a failover can
 * happen at once.
 *
 * @throws Error as `startRedis`
 */
export async function startSentinel(options: SentinelOptions = {}): Promise<SentinelSetup> {
  const { replicas = 1, sentinels = 1 } = options;
  const program = await findProgram();
  return startGroup(program, 1 + replicas + sentinels, async (group, ports) => {
    const [masterPort = 0, ...others] = ports;
    const master = await startData(group, masterPort, [], options);
    const following: OwnServer[] = [];
    for (const port of others.slice(0, replicas)) {
      const replicaOf: Directive = ['replicaof', master.host, String(masterPort)];
      following.push(await startData(group, port, [replicaOf], options));
    }
    await eventually('the replicas to follow the master', async () => {
      const [, , connected] = rows(await master.cli('ROLE'));
      return rows(connected).length === replicas || undefined;
    });
    const watching: OwnServer[] = [];
    const quorum = Math.floor(sentinels / 2) + 1;
    for (const port of others.slice(replicas)) {
      watching.push(await startWatcher(group, port, masterPort, quorum, options));
    }
    await eventually('the Sentinels to know everybody', async () => {
      for (const sentinel of watching) {
        const known = rows(await sentinel.cli('SENTINEL', 'REPLICAS', MASTER_NAME)).map(fields);
        const following = known.filter((replica) => replica.get('master-link-status') === 'ok');
        const peers = rows(await sentinel.cli('SENTINEL', 'SENTINELS', MASTER_NAME));
        if (following.length < replicas || peers.length < sentinels - 1) return undefined;
      }
      return true;
    });
    return new OwnSentinelSetup(group, [master, ...following], watching);
  });
}

function startData(
  group: ServerGroup,
  port: number,
  directives: readonly Directive[],
  options: DataOptions,
): Promise<OwnServer> {
  const lines = [
    ...dataDirectives(group.machine.bind, options),
    ['port', String(port)] as const,
    ...directives,
  ];
  return group.start({
    port,
    files: { 'redis.conf': configFile(lines) + extraLines(options.config) },
    password: options.requirepass,
  });
}

function startWatcher(
  group: ServerGroup,
  port: number,
  masterPort: number,
  quorum: number,
  { requirepass }: DataOptions,
): Promise<OwnServer> {
  const { bind, host } = group.machine;
  const sentinel = (name: string, ...args: string[]): Directive => ['sentinel', name, MASTER_NAME, ...args];
  const lines: Directive[] = [
    ...commonDirectives(bind),
    ['port', String(port)],
    sentinel('monitor', host, String(masterPort), String(quorum)),
    sentinel('down-after-milliseconds', DOWN_AFTER),
    sentinel('failover-timeout', FAILOVER_TIMEOUT),
    sentinel('parallel-syncs', '8'),
    ...(requirepass === undefined ? [] : [sentinel('auth-pass', requirepass)]),
  ];
  return group.start({ port, files: { 'sentinel.conf': configFile(lines) }, args: ['--sentinel'] });
}

class OwnSentinelSetup implements SentinelSetup {
  readonly masterName = MASTER_NAME;
  readonly sentinels: readonly OwnServer[];
  readonly #group: ServerGroup;
  readonly #servers: readonly OwnServer[];
  #master: OwnServer;

  constructor(group: ServerGroup, servers: readonly [OwnServer, ...OwnServer[]], sentinels: OwnServer[]) {
    this.#group = group;
    this.#servers = servers;
    this.#master = servers[0];
    this.sentinels = sentinels;
  }

  get master(): OwnServer {
    return this.#master;
  }

  get replicas(): readonly OwnServer[] {
    return this.#servers.filter((server) => server !== this.#master);
  }

  async failover(): Promise<RedisNode> {
    const old = this.#master;
    // Refused while a Sentinel is at work on the failover before, and until it has heard of the replicas again.
    await eventually('the Sentinels to begin a failover', () =>
      this.#watcher().cli('SENTINEL', 'FAILOVER', MASTER_NAME),
    );
    const master = await this.newMaster();
    if (old.answers) {
      // What the Sentinels do as well, ten seconds later.
      await old.cli('REPLICAOF', master.host, String(master.port));
      await old.cli('CLIENT', 'KILL', 'TYPE', 'normal');
    }
    await eventually('all servers to follow the new master', async () => {
      for (const replica of this.replicas.filter(({ answers }) => answers)) {
        const [role, , port, state] = rows(await replica.cli('ROLE'));
        if (role !== 'slave' || port !== master.port || state !== 'connected') return undefined;
      }
      return true;
    });
    return master;
  }

  async newMaster(): Promise<RedisNode> {
    const old = this.#master;
    this.#master = await eventually('the Sentinels to name another master', async () => {
      const address = rows(await this.#watcher().cli('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME));
      const named = this.#servers.find((server) => server.port === Number(address[1]));
      if (named === undefined || named === old) return undefined;
      const [role] = rows(await named.cli('ROLE'));
      return role === 'master' ? named : undefined;
    });
    return this.#master;
  }

  stop(): Promise<void> {
    return this.#group.stop();
  }

  #watcher(): OwnServer {
    const sentinel = this.sentinels.find(({ answers }) => answers);
    if (sentinel === undefined)
      throw new Error('No Sentinel is running: restart or resume one of them first');
    return sentinel;
  }
}

/** A reply of names and values in turn. */
function fields(reply: Reply | undefined): Map<string, string> {
  const entries = rows(reply).map(String);
  return new Map(
    entries.flatMap((name, index) => (index % 2 === 0 ? [[name, entries[index + 1] ?? ''] as const] : [])),
  );
}
