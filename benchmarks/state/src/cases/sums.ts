import { type Case, percent, type Role, type Sample, type Variant, Worker } from '@rs/bench-harness';
import { checkSums, expectedSums } from '../load/expected.ts';
import type { Work } from '../load/work.ts';
import type { Place } from '../ways/way.ts';
import type { WayName } from '../ways/ways.ts';
import type { Tasks } from '../worker/tasks.ts';
import { FIGURES, MEMORY_FIGURE } from './figures.ts';
import { PARTITIONS, type Setting, type StateWorker } from './setting.ts';

export interface SumsOptions {
  readonly name: string;
  readonly work: Work;
  /** Of a pass. What is slow gets fewer of them. */
  readonly records: number;
  readonly naive: number;
  /** Whether there are enough keys for what Redis needs for them to show. Default false. */
  readonly memory?: boolean;
}

interface Entrant {
  readonly name: string;
  readonly role: Role;
  readonly way: WayName;
  readonly records: number;
}

/** One process works off a log that is there already; timed from connecting to the last commit, when all sums are in Redis. */
export function sums(setting: Setting, { name, work, records, naive, memory }: SumsOptions): Case {
  const entrants: readonly Entrant[] = [
    { name: '@rs', role: 'ours', way: 'rs', records },
    { name: 'limit', role: 'limit', way: 'script', records },
    { name: 'naive', role: 'peer', way: 'naive', records: naive },
  ];
  return {
    name,
    unit: 'records/s',
    figures: memory === true ? { ...FIGURES, redisMbPerMillionKeys: MEMORY_FIGURE } : FIGURES,
    open: async () => {
      const workers: StateWorker[] = [];
      const variants: Variant[] = [];
      await setting.server.empty();
      for (const entrant of entrants) {
        const worker = new Worker<Tasks>(setting.program, entrant.way);
        workers.push(worker);
        variants.push(await filledVariant(setting, worker, entrant, work));
      }
      return {
        variants,
        close: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
      };
    },
  };
}

async function filledVariant(
  { server }: Setting,
  worker: StateWorker,
  { name, role, way, records }: Entrant,
  work: Work,
): Promise<Variant> {
  const place: Place = { host: server.host, port: server.port, partitions: PARTITIONS, prefix: way };
  const expected = expectedSums(work, records);
  await worker.call('fill', { ...place, work, records });
  let run = 0;
  return {
    name,
    role,
    run: async (): Promise<Sample> => {
      const job = { ...place, work, run: run++ };
      const before = { cpuMs: await server.cpuMs(), memory: await server.usedMemory() };
      const { elapsedMs, cpuMs, calls, rssMb } = await worker.call('work', job);
      const after = { cpuMs: await server.cpuMs(), memory: await server.usedMemory() };
      checkSums(await worker.call('sums', job), expected);
      await worker.call('clear', job);
      return {
        value: (records / elapsedMs) * 1_000,
        records,
        figures: {
          clientCpu: percent(cpuMs, elapsedMs),
          redisCpu: percent(after.cpuMs - before.cpuMs, elapsedMs),
          rssMb,
          roundTripsPerRecord: calls / records,
          redisMbPerMillionKeys: (after.memory - before.memory) / expected.size,
        },
      };
    },
  };
}
