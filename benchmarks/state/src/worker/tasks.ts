import { now } from '@rs/bench-harness';
import type { Sums } from '../load/work.ts';
import type { Filling, Job, Way } from '../ways/way.ts';

/** What a pass took. */
export interface Worked {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  /** Calls of Redis. */
  readonly calls: number;
  /** Resident memory of the process at its end. */
  readonly rssMb: number;
}

/** What a child process can be told to do, in one way. */
export class Tasks {
  readonly #way: Way;

  constructor(way: Way) {
    this.#way = way;
  }

  async fill(filling: Filling): Promise<void> {
    await this.#way.fill(filling);
  }

  async work(job: Job): Promise<Worked> {
    const [cpu, startedAt] = [process.cpuUsage(), now()];
    const calls = await this.#way.work(job);
    const elapsedMs = now() - startedAt;
    const { user, system } = process.cpuUsage(cpu);
    return { elapsedMs, cpuMs: (user + system) / 1_000, calls, rssMb: process.memoryUsage.rss() / 2 ** 20 };
  }

  async sums(job: Job): Promise<Sums> {
    return this.#way.sums(job);
  }

  async clear(job: Job): Promise<void> {
    await this.#way.clear(job);
  }
}
