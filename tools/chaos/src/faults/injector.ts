import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '@rs/redis-server';
import type { WorkerSlot } from '../processes/worker-slot.ts';
import type { Fault, FaultOf, WorkerName } from '../schedule/fault.ts';
import { now } from '../time/now.ts';
import type { Disturbance } from './disturbance.ts';
import type { PointOrder } from './point-order.ts';

/** Between two lost replies: the client connects again meanwhile. */
const REPLY_PAUSE = 60;

/** How long a process has to come to a point of its work. */
const POINT_WITHIN = 4_000;

export interface InjectorOptions {
  readonly server: RedisServer;
  readonly slots: ReadonlyMap<WorkerName, WorkerSlot>;
  /** Removes the group of a partition; false when there is none. */
  readonly destroyGroup: (partition: number) => Promise<boolean>;
  /** Ends what waits. */
  readonly signal: AbortSignal;
}

/** Makes faults happen and keeps the list of what happened. */
export class Injector {
  readonly disturbances: Disturbance[] = [];
  readonly #options: InjectorOptions;
  #server: Promise<void> = Promise.resolve();

  constructor(options: InjectorOptions) {
    this.#options = options;
  }

  /** Fulfilled when it is over; false when there was nothing to do it to, such as a process that is not there. */
  async apply(fault: Fault): Promise<boolean> {
    switch (fault.kind) {
      case 'killConsumer':
      case 'killProducer':
      case 'killWorker':
        return this.#endProcess(fault, (slot) => slot.current?.kill());
      case 'stopConsumer':
      case 'stopWorker':
        return this.#endProcess(fault, (slot) => slot.stop());
      case 'dieAt':
        return this.#dieAt(fault);
      case 'loseReplyOf':
        return this.#loseReplyOf(fault);
      case 'freeze':
      case 'nap':
        return this.#freeze(fault);
      case 'delay':
      case 'swallow':
      case 'halfClose':
      case 'loseReplies':
        return this.#onNetwork(fault);
      case 'killClients':
      case 'restartServer':
      case 'crashServer':
      case 'pauseServer':
      case 'flushScripts':
      case 'destroyGroup':
        return this.#onServer(fault);
    }
  }

  async #endProcess(
    { kind, worker, restartAfter }: Exclude<Extract<Fault, { restartAfter: number }>, FaultOf<'dieAt'>>,
    end: (slot: WorkerSlot) => Promise<void> | undefined,
  ): Promise<boolean> {
    const slot = this.#slot(worker);
    const process = slot.current;
    if (process?.running !== true) return false;
    const from = now();
    await end(slot);
    await this.#pause(restartAfter);
    await slot.start();
    this.disturbances.push({ kind, from, until: now(), worker, incarnation: process.incarnation });
    return true;
  }

  /** False when it did not come to the point in time; it lives on then, and may not die later. */
  async #dieAt({ kind, worker, point, fresh, restartAfter }: FaultOf<'dieAt'>): Promise<boolean> {
    const slot = this.#slot(worker);
    if (slot.current?.running !== true) return false;
    const order: PointOrder = { ...point, what: 'die' };
    if (fresh) {
      const from = now();
      const { incarnation } = slot.current;
      await slot.current.kill();
      this.disturbances.push({ kind, from, until: now(), worker, incarnation });
      await slot.start(order);
    }
    const process = slot.current;
    process.expectDeath();
    if (!fresh) process.tell(order);
    await Promise.race([process.exited, this.#pause(fresh ? 2 * POINT_WITHIN : POINT_WITHIN)]);
    // A stopped process would not hear that it may live.
    const died = process.ended;
    if (!died) await process.kill();
    await this.#pause(restartAfter);
    await slot.start();
    this.disturbances.push({
      ...{ kind, from: process.killedAt ?? now(), until: now(), worker, incarnation: process.incarnation },
      ...(died ? { point: `${point.when} ${point.call}` } : {}),
    });
    return died;
  }

  async #loseReplyOf({ kind, worker, point }: FaultOf<'loseReplyOf'>): Promise<boolean> {
    const process = this.#slot(worker).current;
    if (process?.running !== true) return false;
    const from = now();
    const order: PointOrder = { ...point, what: 'lose' };
    process.tell(order);
    await this.#pause(POINT_WITHIN);
    this.disturbances.push({ kind, from, until: now(), worker, point: point.call });
    return true;
  }

  async #freeze({ kind, worker, lasts }: Extract<Fault, { kind: 'freeze' | 'nap' }>): Promise<boolean> {
    const process = this.#slot(worker).current;
    if (process?.running !== true) return false;
    const from = now();
    process.freeze();
    await this.#pause(lasts);
    process.thaw();
    this.disturbances.push({ kind, from, until: now(), worker, incarnation: process.incarnation });
    return true;
  }

  async #onNetwork(
    fault: Extract<Fault, { kind: 'delay' | 'swallow' | 'halfClose' | 'loseReplies' }>,
  ): Promise<boolean> {
    const { kind, worker } = fault;
    const { proxy } = this.#slot(worker);
    const from = now();
    if (fault.kind === 'halfClose') proxy.halfClose();
    else if (fault.kind === 'loseReplies') {
      for (let time = 0; time < fault.times; time++) {
        proxy.loseNextReply();
        await this.#pause(REPLY_PAUSE);
      }
    } else {
      proxy.set(
        fault.kind === 'delay'
          ? { kind: 'delay', millis: fault.millis }
          : { kind: 'swallow', what: fault.what },
      );
      await this.#pause(fault.lasts);
      proxy.heal();
    }
    this.disturbances.push({ kind, from, until: now(), worker });
    return true;
  }

  /** One after the other: a server that is away cannot be told anything. */
  async #onServer(
    fault: Extract<
      Fault,
      {
        kind:
          'killClients' | 'restartServer' | 'crashServer' | 'pauseServer' | 'flushScripts' | 'destroyGroup';
      }
    >,
  ): Promise<boolean> {
    const earlier = this.#server;
    let done = (): void => undefined;
    this.#server = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await earlier;
      const from = now();
      const { server, destroyGroup } = this.#options;
      const partition = fault.kind === 'destroyGroup' ? { partition: fault.partition } : {};
      switch (fault.kind) {
        case 'killClients':
          await server.cli('CLIENT', 'KILL', 'TYPE', 'normal');
          break;
        case 'restartServer':
          await server.restart();
          break;
        case 'crashServer':
          await server.kill();
          await this.#pause(fault.down);
          await server.restart();
          break;
        case 'pauseServer':
          await server.pause();
          await this.#pause(fault.lasts);
          await server.resume();
          break;
        case 'flushScripts':
          await server.cli('SCRIPT', 'FLUSH');
          break;
        case 'destroyGroup':
          if (!(await destroyGroup(fault.partition))) return false;
      }
      this.disturbances.push({ kind: fault.kind, from, until: now(), ...partition });
      return true;
    } finally {
      done();
    }
  }

  #slot(worker: WorkerName): WorkerSlot {
    const slot = this.#options.slots.get(worker);
    if (slot === undefined) throw new Error(`There is no ${worker}`);
    return slot;
  }

  /** An interrupted run ends its faults at once. */
  async #pause(millis: number): Promise<void> {
    await pause(millis, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }
}
