import { RsError } from '@rs/core';
import type { Call } from '../client/call.ts';
import type { RedisNode } from '../driver/driver.ts';
import { Lane } from '../lane/lane.ts';
import { checkSameSlot } from '../slot/check-same-slot.ts';
import { refusalOf } from './refusal.ts';
import { type Router, type RouterOptions, laneDefaults, tryAgain } from './router.ts';
import { type SlotTable, nodeName } from './slot-table.ts';
import { Topology } from './topology.ts';

/** More redirections than this, and the nodes do not agree on who serves the slot. */
const MAX_REDIRECTS = 16;
/** The nodes get time to agree from this one on. */
const PATIENT_REDIRECTS = 3;

/** Between two times of asking who serves what: a slot that has moved is known by its MOVED already. */
const TOPOLOGY_PAUSES = { min: 200, max: 2_000 };

/** A lane to each node that serves something, and a table of who serves what. */
export class ClusterRouter implements Router {
  readonly #options: RouterOptions;
  readonly #topology: Topology;
  readonly #lanes = new Map<string, Lane>();
  #table: SlotTable | undefined;
  /** The masters of the last line in the log. */
  #told = '';
  /** Calls that nobody is known for, in order. They wait for the table. */
  #homeless: Call[] = [];

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#topology = new Topology({
      driver: options.driver,
      timeout: options.connectTimeout,
      pauses: TOPOLOGY_PAUSES,
      random: options.random,
      standing: () => [...this.#lanes.values()].flatMap((lane) => lane.current ?? []),
      changed: (table) => this.#adopt(table),
      failed: (error) => this.#unknown(error),
    });
  }

  slotOf(keys: readonly string[], what: string): number | undefined {
    return checkSameSlot(keys, what);
  }

  dispatch(call: Call): void {
    if (call.settled) return;
    call.asking = false;
    const node = this.#nodeFor(call);
    if (node !== undefined) {
      this.#laneTo(node).push(call);
      return;
    }
    this.#homeless.push(call);
    this.#topology.refresh();
  }

  async masters(call: Call): Promise<readonly RedisNode[]> {
    this.dispatch(call);
    await call.promise;
    return this.#table?.masters ?? [];
  }

  async locate(probe: () => Call): Promise<RedisNode | undefined> {
    const call = probe();
    this.dispatch(call);
    await call.promise;
    return call.slot === undefined ? call.sentTo : this.#table?.nodeOf(call.slot);
  }

  close(): void {
    this.#topology.close();
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
    this.#homeless = [];
  }

  #nodeFor(call: Call): RedisNode | undefined {
    if (call.node !== undefined) return call.node;
    if (call.slot !== undefined) return this.#table?.nodeOf(call.slot);
    const masters = this.#table?.masters ?? [];
    return masters[Math.floor(this.#options.random() * masters.length)];
  }

  #laneTo(node: RedisNode): Lane {
    const name = nodeName(node);
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane({
        ...laneDefaults(this.#options, name, node),
        refused: (call, error, _lane, from) => this.#refused(call, error, from),
        unreachable: (unreachable, error) => this.#unreachable(unreachable, error),
        lost: () => this.#topology.refresh(),
        stranded: (calls) => calls.forEach((call) => this.dispatch(call)),
      });
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  #adopt(table: SlotTable): void {
    this.#tell(table);
    this.#table = table;
    for (const [name, lane] of this.#lanes) {
      if (table.masters.some((master) => nodeName(master) === name)) continue;
      this.#lanes.delete(name);
      lane.retire();
    }
    const calls = this.#homeless;
    this.#homeless = [];
    for (const call of calls) {
      if (call.node !== undefined && !table.has(call.node)) call.reject(noMaster(call.node));
      else if (this.#nodeFor(call) === undefined) this.#again(call, unserved(call));
      else this.dispatch(call);
    }
  }

  #tell({ masters }: SlotTable): void {
    const names = masters.map(nodeName).sort().join(', ');
    if (names === this.#told) return;
    this.#told = names;
    this.#options.logger.info({ masters }, `the masters of the cluster are ${names}`);
  }

  #unknown(error: RsError): void {
    const calls = this.#homeless;
    this.#homeless = [];
    for (const call of calls) {
      if (error.retriable) this.#again(call, error);
      else call.reject(error);
    }
  }

  /** Its calls wait for a newer table: by then somebody else may serve their slots. */
  #unreachable(lane: Lane, error: RsError): void {
    for (const call of lane.takeWaiting()) {
      if (error.retriable) this.#homeless.push(call);
      else call.reject(error);
    }
    this.#topology.refresh();
  }

  #refused(call: Call, error: RsError, from: RedisNode): void {
    const refusal = refusalOf(error, from);
    switch (refusal.kind) {
      case 'final':
        call.reject(error);
        return;
      case 'again':
        this.#again(call, error);
        return;
      case 'elsewhere':
        this.#topology.refresh();
        this.#again(call, error);
        return;
      case 'moved':
        this.#table?.assign(refusal.slot, refusal.slot, refusal.node);
        this.#topology.refresh();
        this.#redirect(call, error, () => this.dispatch(call));
        return;
      case 'ask':
        this.#redirect(call, error, () => {
          call.asking = true;
          this.#laneTo(refusal.node).push(call);
        });
    }
  }

  #redirect(call: Call, error: RsError, go: () => void): void {
    call.redirects++;
    if (call.redirects > MAX_REDIRECTS) call.reject(endless(call, error));
    else if (call.redirects > PATIENT_REDIRECTS) this.#again(call, error);
    else go();
  }

  #again(call: Call, error: RsError): void {
    if (error.details.prefix === 'CLUSTERDOWN') this.#topology.refresh();
    tryAgain(this, call, error, this.#options);
  }
}

function unserved(call: Call): RsError {
  return new RsError('RS_REDIS_UNAVAILABLE', `no node of the cluster serves slot ${call.slot ?? '(any)'}`, {
    details: { slot: call.slot },
  });
}

function noMaster(node: RedisNode): RsError {
  return new RsError('RS_REDIS_UNAVAILABLE', `${nodeName(node)} is no master of the cluster any more`, {
    details: { node },
  });
}

function endless(call: Call, error: RsError): RsError {
  return new RsError(
    'RS_REDIS_REFUSED',
    `${call.name} was redirected more than ${MAX_REDIRECTS} times: the nodes of the cluster do not agree on who ` +
      `serves its slot`,
    { cause: error, details: { name: call.name, slot: call.slot } },
  );
}
