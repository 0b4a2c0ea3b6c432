import type { RedisCommand, RedisReply } from '../driver/driver.ts';
import { replyError } from '../driver/reply-error.ts';
import { SLOT_COUNT, slotOf } from '../slot/slot-of.ts';
import { FakeDriver } from './fake-driver.ts';
import { FakeNode } from './fake-node.ts';

/** Nodes that redirect as a cluster does. At first they share the slots in equal ranges. */
export class FakeCluster {
  readonly nodes: FakeNode[];
  readonly driver: FakeDriver;
  /** How often CLUSTER SLOTS was asked. */
  asked = 0;
  /** Asked before the rules of a cluster. */
  rule: (node: FakeNode, command: RedisCommand) => RedisReply | undefined = () => undefined;
  readonly #owners: (FakeNode | undefined)[];
  /** Slots on their way: the owner sends everybody there with ASK. */
  readonly #importing = new Map<number, FakeNode>();

  constructor(count = 3) {
    this.nodes = Array.from({ length: count }, (_, i) => new FakeNode(7000 + i));
    this.driver = new FakeDriver('cluster', this.nodes);
    this.#owners = Array.from(
      { length: SLOT_COUNT },
      (_, slot) => this.nodes[Math.floor((slot * count) / SLOT_COUNT)],
    );
    for (const node of this.nodes) this.#join(node);
  }

  add(port: number): FakeNode {
    const node = new FakeNode(port);
    this.nodes.push(node);
    this.#join(node);
    return node;
  }

  ownerOf(key: string): FakeNode {
    const owner = this.#owners[slotOf(key)];
    if (owner === undefined) throw new Error(`nobody serves ${key}`);
    return owner;
  }

  other(than: FakeNode): FakeNode {
    const found = this.nodes.find((node) => node !== than && node.up);
    if (found === undefined) throw new Error('there is no other node');
    return found;
  }

  assign(key: string, owner: FakeNode | undefined): void {
    this.#owners[slotOf(key)] = owner;
    this.#importing.delete(slotOf(key));
  }

  /** Everything that `from` has. */
  takeOver(from: FakeNode, to: FakeNode): void {
    for (const [slot, owner] of this.#owners.entries()) if (owner === from) this.#owners[slot] = to;
  }

  startMove(key: string, to: FakeNode): void {
    this.#importing.set(slotOf(key), to);
  }

  /** Names of the scripts and commands that all nodes executed, but for questions about the cluster. */
  executed(): string[] {
    return this.nodes.flatMap((node) => node.executed);
  }

  #join(node: FakeNode): void {
    node.rule = (command) => this.rule(node, command) ?? this.#reply(node, command);
  }

  #reply(node: FakeNode, command: RedisCommand): RedisReply | undefined {
    if (command.name === 'CLUSTER') {
      this.asked++;
      return this.#slots();
    }
    const key = keyOf(command);
    if (key === undefined) return undefined;
    const slot = slotOf(key);
    const owner = this.#owners[slot];
    const target = this.#importing.get(slot);
    if (owner === undefined) return replyError('CLUSTERDOWN Hash slot not served');
    if (node === owner)
      return target === undefined ? undefined : replyError(`ASK ${slot} ${addressOf(target)}`);
    return node === target && node.asking ? undefined : replyError(`MOVED ${slot} ${addressOf(owner)}`);
  }

  #slots(): RedisReply {
    const ranges: RedisReply[][] = [];
    let start = 0;
    for (let slot = 1; slot <= SLOT_COUNT; slot++) {
      const owner = this.#owners[start];
      if (slot < SLOT_COUNT && this.#owners[slot] === owner) continue;
      if (owner !== undefined) ranges.push([start, slot - 1, [owner.node.host, owner.node.port, 'id', []]]);
      start = slot;
    }
    return ranges;
  }
}

function addressOf({ node }: FakeNode): string {
  return `${node.host}:${node.port}`;
}

function keyOf({ name, args }: RedisCommand): string | undefined {
  if (name === 'EVALSHA') return args[1] === 0 ? undefined : String(args[2]);
  return ['GET', 'SET', 'EXISTS'].includes(name) ? String(args[0]) : undefined;
}
