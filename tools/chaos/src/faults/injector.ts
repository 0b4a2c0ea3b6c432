import { setTimeout as pause } from 'node:timers/promises';
import type { RedisServer } from '@rs/redis-server';
import type { WorkerSlot } from '../processes/worker-slot.ts';
import type { Fault, WorkerName } from '../schedule/fault.ts';
import { now } from '../time/now.ts';
import type { Disturbance } from './disturbance.ts';

/** Between two lost replies: the client connects again meanwhile. */
const REPLY_PAUSE = 60;

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
        return this.#endProcess(fault, (slot) => slot.current?.kill());
      case 'stopConsumer':
        return this.#endProcess(fault, (slot) => slot.stop());
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
    { kind, worker, restartAfter }: Extract<Fault, { restartAfter: number }>,
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
