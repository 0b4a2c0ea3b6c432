import type { FaultProxy } from '@rs/redis-server';
import type { PointOrder } from '../faults/point-order.ts';
import type { WorkerName } from '../schedule/fault.ts';
import type { Keeper } from './keeper.ts';
import type { CommonConfig } from './worker-main.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerSlotOptions {
  readonly name: WorkerName;
  /** Path of the module that runs in its processes. */
  readonly program: string;
  /** What each of them is told besides what every worker is. */
  readonly configure: () => Promise<object> | object;
  /** The way to Redis of all processes of this name. */
  readonly proxy: FaultProxy;
  readonly keeper: Keeper;
  /** Where journals go. */
  readonly directory: string;
}

/** A worker: a process, and after its end the next one of the same name. */
export class WorkerSlot {
  readonly name: WorkerName;
  readonly proxy: FaultProxy;
  readonly processes: WorkerProcess[] = [];
  readonly #options: WorkerSlotOptions;

  constructor(options: WorkerSlotOptions) {
    this.name = options.name;
    this.proxy = options.proxy;
    this.#options = options;
  }

  get current(): WorkerProcess | undefined {
    return this.processes.at(-1);
  }

  /** Closes its process in order, if there is one. */
  async stop(): Promise<void> {
    await this.current?.stop();
  }

  /** Starts a process, unless one is there. @param order what it is to do to itself, from its first moment on */
  async start(order?: PointOrder): Promise<void> {
    const { program, configure, proxy, keeper, directory } = this.#options;
    const own = await configure();
    // Somebody else may have started one meanwhile.
    if (this.current?.ended === false) return;
    const incarnation = `${this.name}#${this.processes.length + 1}`;
    const journal = `${directory}/${incarnation}.jsonl`;
    const config: CommonConfig = { ...own, name: this.name, incarnation, journal, port: proxy.port, order };
    this.processes.push(new WorkerProcess({ program, config, keeper }));
  }
}
