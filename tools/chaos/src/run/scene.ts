import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createMq } from '@rs/mq';
import { FaultProxy, type RedisServer, startRedis } from '@rs/redis-server';
import { LOAD } from '../load/settings.ts';
import { readJournal } from '../journal/read-journal.ts';
import { Keeper } from '../processes/keeper.ts';
import { WorkerSlot } from '../processes/worker-slot.ts';
import { Observer } from '../redis/observer.ts';
import type { WorkerName } from '../schedule/fault.ts';

export interface SceneOptions {
  readonly seed: number;
  readonly rate: number;
}

/** What a run takes place in: a server with its topic, and a network to it for each worker. Nobody works yet. */
export interface Scene {
  readonly server: RedisServer;
  readonly observer: Observer;
  readonly slots: ReadonlyMap<WorkerName, WorkerSlot>;
  readonly producer: WorkerSlot;
  readonly consumers: readonly WorkerSlot[];
  /** Where the journals are. */
  readonly directory: string;
  /** Ends everything that was started; the journals go too unless they are to be kept. */
  close(options: { readonly keep: boolean }): Promise<void>;
}

export async function setScene({ seed, rate }: SceneOptions): Promise<Scene> {
  const directory = await mkdtemp(join(tmpdir(), 'rs-chaos-'));
  const endings: (() => unknown)[] = [];
  const close = async ({ keep }: { keep: boolean }): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
    if (!keep) await rm(directory, { recursive: true, force: true });
  };
  try {
    // Each write is on disk before it is answered: what was confirmed outlives a kill -9 of the server.
    const server = await startRedis({ persistence: 'aof', appendfsync: 'always', own: true });
    endings.push(() => server.stop());
    await createTopic(server);
    const observer = new Observer(server.port);
    endings.push(() => observer.close());
    const keeper = await Keeper.start();
    endings.push(() => keeper.close());
    const slots = new Map<WorkerName, WorkerSlot>();
    const addSlot = async (name: WorkerName): Promise<WorkerSlot> => {
      const proxy = await FaultProxy.start({ to: { host: server.host, port: server.port } });
      endings.push(() => proxy.close());
      const slot: WorkerSlot = new WorkerSlot({
        ...{ name, seed, rate, proxy, keeper, directory },
        ...(name === 'producer' ? { confirmed: () => confirmedBy(slot) } : {}),
      });
      endings.push(() => slot.current?.kill());
      slots.set(name, slot);
      return slot;
    };
    const consumers: WorkerSlot[] = [];
    for (let number = 0; number < LOAD.consumers; number++)
      consumers.push(await addSlot(`consumer-${number}`));
    const producer = await addSlot('producer');
    return { server, observer, slots, producer, consumers, directory, close };
  } catch (error) {
    await close({ keep: false });
    throw error;
  }
}

async function createTopic({ host, port }: RedisServer): Promise<void> {
  const mq = createMq({ redis: new Redis({ host, port, lazyConnect: true }) });
  await mq.topics.ensure(LOAD.topic, { partitions: LOAD.partitions });
  await mq.close();
}

async function confirmedBy({ processes }: WorkerSlot): Promise<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const { journal } of processes) {
    for (const entry of await readJournal(journal)) {
      if (entry.type === 'confirmed') numbers[entry.key] = Math.max(numbers[entry.key] ?? 0, entry.n);
    }
  }
  return numbers;
}
