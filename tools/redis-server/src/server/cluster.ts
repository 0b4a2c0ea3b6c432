import { findProgram } from '../find/find-program.ts';
import { configFile } from './config.ts';
import { eventually } from '../eventually.ts';
import { type ServerGroup, startGroup } from './group.ts';
import { type DataOptions, dataDirectives, extraLines } from './options.ts';
import { type OwnServer, type RedisNode, rows } from './server.ts';

export interface ClusterOptions extends DataOptions {
  /** They share the slots evenly. Default 3. */
  readonly masters?: number;
  /** Replicas of each master. Without one a master that is killed leaves its slots unserved. Default 0. */
  readonly replicas?: number;
}

/** A slot on its way: clients that ask for a key which has gone ahead are told so (ASK). */
export interface SlotMove {
  /** Moves the keys that are left and makes the new owner known to all. */
  finish(): Promise<void>;
}

export interface ClusterSetup {
  /** The masters of the start, in the order of their slots, then the replicas. */
  readonly nodes: readonly RedisNode[];
  /** Who serves a slot now, as a running node sees it. */
  ownerOf(slot: number): Promise<RedisNode>;
  /** Begins to move a slot to another master; no key has gone yet. */
  startMove(slot: number, to: RedisNode): Promise<SlotMove>;
  /** Moves a slot with its keys. Clients are told about it when they next ask for it (MOVED). */
  moveSlot(slot: number, to: RedisNode): Promise<void>;
  /** Waits until all nodes that run see a whole cluster: after a `kill` with replicas, or after a `restart`. */
  ready(): Promise<void>;
  /** Ends all nodes and removes their directories. Idempotent. */
  stop(): Promise<void>;
}

const SLOTS = 16_384;
/** Milliseconds without an answer until a node is taken for dead: short, and long enough for a busy machine. */
const NODE_TIMEOUT = '2000';
const MIGRATE_TIMEOUT = '5000';
const KEYS_AT_ONCE = '100';

/**
 * Starts a cluster and waits until every node serves it.
 *
 * @throws Error as `startRedis`
 */
export async function startCluster(options: ClusterOptions = {}): Promise<ClusterSetup> {
  const { masters = 3, replicas = 0 } = options;
  const program = await findProgram();
  const count = masters * (1 + replicas);
  // Each node has a second port, for the other nodes.
  return startGroup(program, 2 * count, async (group, ports) => {
    const nodes: OwnServer[] = [];
    for (const [index, port] of ports.slice(0, count).entries()) {
      nodes.push(await startNode(group, port, ports[count + index] ?? 0, options));
    }
    const cluster = new OwnCluster(group, nodes, options.requirepass);
    await join(nodes, masters, ports.slice(count));
    await cluster.ready();
    await follow(nodes, masters);
    await cluster.ready();
    return cluster;
  });
}

function startNode(
  group: ServerGroup,
  port: number,
  busPort: number,
  options: DataOptions,
): Promise<OwnServer> {
  const lines = [
    ...dataDirectives(group.machine.bind, options),
    ['port', String(port)] as const,
    ['cluster-enabled', 'yes'] as const,
    ['cluster-port', String(busPort)] as const,
    ['cluster-node-timeout', NODE_TIMEOUT] as const,
    // A replica takes over however long it has been cut off, and stays with its master.
    ['cluster-replica-validity-factor', '0'] as const,
    ['cluster-allow-replica-migration', 'no'] as const,
  ];
  return group.start({
    port,
    files: { 'redis.conf': configFile(lines) + extraLines(options.config) },
    password: options.requirepass,
  });
}

async function join(
  nodes: readonly OwnServer[],
  masters: number,
  busPorts: readonly number[],
): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    // Epochs that differ from the start save the nodes the time to settle who has which.
    await node.cli('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (index < masters) {
      const [first, last] = [index, index + 1].map((bound) => Math.floor((bound * SLOTS) / masters));
      await node.cli('CLUSTER', 'ADDSLOTSRANGE', String(first), String(Number(last) - 1));
    }
  }
  // All meet all: waiting until they hear of each other by gossip takes longer.
  for (const node of nodes) {
    for (const [index, { host, port }] of nodes.entries()) {
      if (node.port !== port) {
        await node.cli('CLUSTER', 'MEET', host, String(port), String(busPorts[index]));
      }
    }
  }
}

async function follow(nodes: readonly OwnServer[], masters: number): Promise<void> {
  for (const [index, node] of nodes.slice(masters).entries()) {
    const id = String(await nodes[index % masters]?.cli('CLUSTER', 'MYID'));
    await node.cli('CLUSTER', 'REPLICATE', id);
    await eventually('a replica to follow its master', async () => {
      const [role, , , state] = rows(await node.cli('ROLE'));
      return (role === 'slave' && state === 'connected') || undefined;
    });
  }
}

class OwnCluster implements ClusterSetup {
  readonly nodes: readonly OwnServer[];
  readonly #group: ServerGroup;
  readonly #password: string | undefined;

  constructor(group: ServerGroup, nodes: readonly OwnServer[], password: string | undefined) {
    this.#group = group;
    this.nodes = nodes;
    this.#password = password;
  }

  async ownerOf(slot: number): Promise<OwnServer> {
    const [witness] = this.#running();
    const ranges = witness === undefined ? [] : await slotRanges(witness);
    const port = ranges.find(({ first, last }) => first <= slot && slot <= last)?.port;
    const owner = this.nodes.find((node) => node.port === port);
    if (owner === undefined) throw new Error(`No node serves slot ${slot}`);
    return owner;
  }

  async startMove(slot: number, to: RedisNode): Promise<SlotMove> {
    const from = await this.ownerOf(slot);
    const [fromId, toId] = [await idOf(from), await idOf(to)];
    const number = String(slot);
    // In this order: a client that is sent ahead must find the door open.
    await to.cli('CLUSTER', 'SETSLOT', number, 'IMPORTING', fromId);
    await from.cli('CLUSTER', 'SETSLOT', number, 'MIGRATING', toId);
    return {
      finish: async () => {
        for (;;) {
          const keys = rows(await from.cli('CLUSTER', 'GETKEYSINSLOT', number, KEYS_AT_ONCE)).map(String);
          if (keys.length === 0) break;
          await this.#migrate(from, to, keys);
        }
        // The new owner first: from then on somebody serves the slot, whatever happens to the others.
        const others = this.#running().filter((node) => node !== from && node.port !== to.port);
        for (const node of [to, from, ...others]) {
          const [role] = rows(await node.cli('ROLE'));
          if (role === 'master') await node.cli('CLUSTER', 'SETSLOT', number, 'NODE', toId);
        }
      },
    };
  }

  async moveSlot(slot: number, to: RedisNode): Promise<void> {
    const move = await this.startMove(slot, to);
    await move.finish();
  }

  async ready(): Promise<void> {
    await eventually('all nodes of the cluster to serve it', async () => {
      const running = this.#running();
      const ports = new Set(running.map(({ port }) => port));
      for (const node of running) {
        const info = String(await node.cli('CLUSTER', 'INFO'));
        // A node that was killed a moment ago still counts as an owner.
        const served = (await slotRanges(node)).filter((range) => ports.has(range.port));
        const slots = served.reduce((sum, { first, last }) => sum + last - first + 1, 0);
        const whole = info.includes('cluster_state:ok') && slots === SLOTS;
        if (!whole || !info.includes(`cluster_known_nodes:${this.nodes.length}`)) return undefined;
      }
      return true;
    });
  }

  stop(): Promise<void> {
    return this.#group.stop();
  }

  #running(): OwnServer[] {
    return this.nodes.filter(({ answers }) => answers);
  }

  async #migrate(from: RedisNode, { host, port }: RedisNode, keys: readonly string[]): Promise<void> {
    const password = this.#password === undefined ? [] : ['AUTH', this.#password];
    await from.cli('MIGRATE', host, String(port), '', '0', MIGRATE_TIMEOUT, ...password, 'KEYS', ...keys);
  }
}

/** Which masters serve which slots, as `node` sees it. */
async function slotRanges(node: RedisNode): Promise<{ first: number; last: number; port: number }[]> {
  return rows(await node.cli('CLUSTER', 'SLOTS')).map((entry) => {
    const [first, last, master] = rows(entry);
    return { first: Number(first), last: Number(last), port: Number(rows(master)[1]) };
  });
}

async function idOf(node: RedisNode): Promise<string> {
  return String(await node.cli('CLUSTER', 'MYID'));
}
