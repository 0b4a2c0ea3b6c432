import { type OpenCase, type Role, type Sample, type Variant, Worker } from '@rs/bench-harness';
import type { Server } from '@rs/bench-harness/redis';
import type { Place } from '../ways/way.ts';
import type { WayName } from '../ways/ways.ts';
import type { Tasks } from '../worker/tasks.ts';

/** What all cases of the suite share. */
export interface Setting {
  readonly server: Server;
  /** Program of the child processes. */
  readonly program: string;
}

/** A way in its role. */
export interface Entrant {
  readonly name: string;
  readonly role: Role;
  readonly way: WayName;
}

/** A child process of this suite. */
export type MqWorker = Worker<Tasks>;

/** How an entrant does the work of a case once, in an empty Redis, with child processes of its own. */
export type Run = (workers: readonly MqWorker[], place: Place) => Promise<Sample>;

export function placeOf({ host, port }: Server, partitions: number): Place {
  return { host, port, partitions };
}

/** @param processes child processes that each entrant has */
export function openCase(
  { server, program }: Setting,
  entrants: readonly Entrant[],
  { partitions, processes, run }: { partitions: number; processes: number; run: Run },
): OpenCase {
  const workers: MqWorker[] = [];
  const variants = entrants.map(({ name, role, way }): Variant => {
    const own = Array.from({ length: processes }, () => new Worker<Tasks>(program, way));
    workers.push(...own);
    return {
      name,
      role,
      run: async () => {
        await server.empty();
        return run(own, placeOf(server, partitions));
      },
    };
  });
  return {
    variants,
    close: async () => void (await Promise.all(workers.map((worker) => worker.stop()))),
  };
}
