import type { FaultProxy } from '@rs/redis-server';
import type { WorkerName } from '../schedule/fault.ts';
import type { WorkerConfig } from '../workers/config.ts';
import type { Keeper } from './keeper.ts';
import { WorkerProcess } from './worker-process.ts';

export interface WorkerSlotOptions {
  readonly name: WorkerName;
  readonly seed: number;
  readonly rate: number;
  /** The way to Redis of all processes of this name. */
  readonly proxy: FaultProxy;
  readonly keeper: Keeper;
  /** Where journals go. */
  readonly directory: string;
  /** For the producer: the last number of each key that was confirmed. */
  readonly confirmed?: () => Promise<Record<string, number>>;
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

  /** Starts a process, unless one is there. */
  async start(): Promise<void> {
    const { name, seed, rate, proxy, keeper, directory, confirmed } = this.#options;
    const soFar = (await confirmed?.()) ?? {};
    // Somebody else may have started one meanwhile.
    if (this.current?.ended === false) return;
    const incarnation = `${name}#${this.processes.length + 1}`;
    const config: WorkerConfig = {
      name,
      incarnation,
      seed,
      rate,
      port: proxy.port,
      journal: `${directory}/${incarnation}.jsonl`,
      confirmed: soFar,
    };
    this.processes.push(new WorkerProcess(config, keeper));
  }
}
