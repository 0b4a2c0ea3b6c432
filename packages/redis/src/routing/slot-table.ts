import { RsError } from '@rs/core';
import type { RedisNode, RedisReply } from '../driver/driver.ts';
import { SLOT_COUNT } from '../slot/slot-of.ts';
import { knownHost } from './refusal.ts';

/** Which master serves which slot, as far as is known. */
export class SlotTable {
  /** By slot: 1 + the index of its master in `#nodes`; 0 for a slot that nobody serves. */
  readonly #owners = new Uint16Array(SLOT_COUNT);
  readonly #nodes: RedisNode[] = [];
  readonly #indexes = new Map<string, number>();

  get masters(): readonly RedisNode[] {
    return this.#nodes;
  }

  nodeOf(slot: number): RedisNode | undefined {
    return this.#nodes[(this.#owners[slot] ?? 0) - 1];
  }

  has(node: RedisNode): boolean {
    return this.#indexes.has(nodeName(node));
  }

  /** Slots `first` up to and including `last` are served by `node`. */
  assign(first: number, last: number, node: RedisNode): void {
    const name = nodeName(node);
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = this.#nodes.push(node);
      this.#indexes.set(name, index);
    }
    this.#owners.fill(index, first, last + 1);
  }
}

export function nodeName(node: RedisNode): string {
  return `${node.host}:${node.port}`;
}

/**
 * Reads the reply of CLUSTER SLOTS: `[first, last, master, ...replicas]` with a node as `[host, port, id, metadata]`.
 *
 * @param asked the node that replied: it stands for a host that is not told
 * @throws RsError `RS_REDIS_REPLY` for anything else
 */
export function readClusterSlots(reply: RedisReply, asked: RedisNode): SlotTable {
  const table = new SlotTable();
  if (!Array.isArray(reply)) throw unreadable(reply, asked);
  for (const range of reply as readonly RedisReply[]) {
    const [first, last, master] = Array.isArray(range) ? (range as readonly RedisReply[]) : [];
    if (typeof first !== 'number' || typeof last !== 'number' || !Array.isArray(master)) {
      throw unreadable(reply, asked);
    }
    const [host, port, , metadata] = master as readonly RedisReply[];
    table.assign(first, last, {
      host: knownHost(text(host)) ?? addressIn(metadata) ?? asked.host,
      port: Number(port),
    });
  }
  return table;
}

/** The metadata of a node without a usable name: `['ip', '10.0.0.7', …]`. */
function addressIn(metadata: RedisReply | undefined): string | undefined {
  if (!Array.isArray(metadata)) return undefined;
  const entries = (metadata as readonly RedisReply[]).map(text);
  for (const wanted of ['ip', 'hostname']) {
    const at = entries.findIndex((entry, i) => i % 2 === 0 && entry === wanted);
    const address = at < 0 ? undefined : knownHost(entries[at + 1]);
    if (address !== undefined) return address;
  }
  return undefined;
}

function text(reply: RedisReply | undefined): string | undefined {
  if (typeof reply === 'string') return reply;
  return Buffer.isBuffer(reply) ? reply.toString() : undefined;
}

function unreadable(reply: RedisReply, asked: RedisNode): RsError {
  return new RsError('RS_REDIS_REPLY', `CLUSTER SLOTS of ${nodeName(asked)} cannot be read`, {
    details: { node: asked, reply },
  });
}
