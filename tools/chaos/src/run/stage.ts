import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createMq } from '@rs/mq';
import { FaultProxy, type RedisServer, startRedis } from '@rs/redis-server';
import { Keeper } from '../processes/keeper.ts';
import { WorkerSlot, type WorkerSlotOptions } from '../processes/worker-slot.ts';
import type { WorkerName } from '../schedule/fault.ts';

/** What a run takes place on: a server of its own, and a network to it for each worker. Nobody works yet. */
export class Stage {
  readonly server: RedisServer;
  readonly slots = new Map<WorkerName, WorkerSlot>();
  /** Where the journals are. */
  readonly directory: string;
  readonly #keeper: Keeper;
  readonly #endings: (() => unknown)[] = [];

  private constructor(server: RedisServer, keeper: Keeper, directory: string) {
    this.server = server;
    this.#keeper = keeper;
    this.directory = directory;
    this.#endings.push(
      () => server.stop(),
      () => keeper.close(),
    );
  }

  static async open(): Promise<Stage> {
    // Each write is on disk before it is answered: what was confirmed outlives a kill -9 of the server.
    const server = await startRedis({ persistence: 'aof', appendfsync: 'always', own: true });
    try {
      const directory = await mkdtemp(join(tmpdir(), 'rs-chaos-'));
      return new Stage(server, await Keeper.start(), directory);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async createTopic(name: string, partitions: number): Promise<void> {
    const { host, port } = this.server;
    const mq = createMq({ redis: new Redis({ host, port, lazyConnect: true }) });
    await mq.topics.ensure(name, { partitions });
    await mq.close();
  }

  /** A worker, with a network of its own. It is not started. */
  async addSlot(options: Pick<WorkerSlotOptions, 'name' | 'program' | 'configure'>): Promise<WorkerSlot> {
    const { host, port } = this.server;
    const proxy = await FaultProxy.start({ to: { host, port } });
    this.onClose(() => proxy.close());
    const slot = new WorkerSlot({ ...options, proxy, keeper: this.#keeper, directory: this.directory });
    this.onClose(() => slot.current?.kill());
    this.slots.set(options.name, slot);
    return slot;
  }

  /** @param end called by `close`, before what was there earlier is ended */
  onClose(end: () => unknown): void {
    this.#endings.push(end);
  }

  /** Ends everything that was started; the journals go too unless they are to be kept. */
  async close({ keep }: { readonly keep: boolean }): Promise<void> {
    for (const end of this.#endings.splice(0).reverse()) await end();
    if (!keep) await rm(this.directory, { recursive: true, force: true });
  }
}
