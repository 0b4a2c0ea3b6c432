import { eventually } from '@rs/redis-server';
import type { RedisRuntimeConfig } from '@rs/runtime-redis';
import type { Driver } from '../../driver.ts';
import type { Outcome } from '../../outcome.ts';
import type { Variant } from '../../variant.ts';
import type { RedisBench, RedisRun } from './bench.ts';
import { type Fate, JobProcess } from './job-process.ts';
import { lateRecords, slotSinks } from './results.ts';
import { staysInPartitions } from './supported.ts';

/** So few that also a short input has been committed in part when the process dies, and in part not. */
const SMALL_BATCH = 2;
/** Commits of a long input. */
const MANY_COMMITS = 24;
/** As short as it can be: a killed process is replaced when its leases end. */
const LEASE = '500ms';
/** Different numbers of calls that a process may make before it dies, so that any kind of call is the last one in some case. */
const LAST_CALLS = 7;

/**
 * The Redis engine with small batches in three processes: the first is killed in the middle, the second takes over and shares with the third,
 * and then leaves the rest to it.
 */
export function redisWithFaults(bench: RedisBench, told: (took: Took) => void = () => undefined): Driver {
  return {
    name: 'redis crash',
    supports: staysInPartitions,
    async run(variant, signal) {
      const restarts = new Restarts(variant, await bench.prepare(variant), signal);
      const outcome = await restarts.run();
      told(restarts.took);
      return outcome;
    },
  };
}

/** How a run went. */
export interface Took {
  readonly processes: number;
  /** The first died before the input was processed. */
  readonly killed: boolean;
  /** The second and the third owned partitions at the same time. */
  readonly shared: boolean;
}

class Restarts {
  readonly #variant: Variant;
  readonly #run: RedisRun;
  readonly #signal: AbortSignal;
  readonly #config: RedisRuntimeConfig;
  /** Commits of a process before something happens to it; 0 for a short input. */
  readonly #share: number;
  readonly #sinks = new Set<string>();
  readonly #processes: JobProcess[] = [];
  #shared = false;

  constructor(variant: Variant, run: RedisRun, signal: AbortSignal) {
    const { length } = variant.messages;
    const records = Math.max(SMALL_BATCH, Math.ceil(length / MANY_COMMITS));
    this.#variant = variant;
    this.#run = run;
    this.#signal = signal;
    this.#config = { batch: { records }, lease: LEASE, closeTimeout: LEASE };
    this.#share = Math.floor(length / records / 3);
  }

  get took(): Took {
    const processes = this.#processes.length;
    return { processes, killed: this.#processes[0]?.dead === true, shared: this.#shared };
  }

  async run(): Promise<Outcome> {
    try {
      await this.#inTurn();
    } finally {
      await Promise.all(this.#processes.map((process) => process.close()));
    }
    return {
      sinks: await this.#run.results(this.#sinks),
      late: lateRecords(this.#processes.map(({ diagnostics }) => diagnostics)),
    };
  }

  /** @throws RsError the failure of the job */
  async #inTurn(): Promise<void> {
    let calls = this.#variant.name.length % LAST_CALLS;
    // Of a short input the first commits a part, and what is left is for the other two.
    const first = await this.#untilStruck(Math.max(1, this.#share), (process) => {
      if (calls-- > 0) return false;
      process.kill();
      return true;
    });
    if (first === undefined) return;
    const second = await this.#untilStruck(this.#share, ({ client }) => {
      client.pause();
      return true;
    });
    if (second === undefined) return;
    const third = await this.#start(({ owned }) => {
      this.#shared ||= owned > 0 && second.owned > 0;
    });
    await this.#rebalanced(third);
    second.client.resume();
    await second.close();
    await third.client.awaitTermination({ signal: this.#signal });
  }

  /**
   * Starts a process that is struck in the middle.
   *
   * @param strike called with every call of the process once it has made so many commits, until it returns true
   * @returns `undefined` when the job has ended before
   */
  async #untilStruck(
    commits: number,
    strike: (process: JobProcess) => boolean,
  ): Promise<JobProcess | undefined> {
    let tell = (_struck: boolean): void => undefined;
    const struck = new Promise<boolean>((resolve) => (tell = resolve));
    let over = false;
    const process = await this.#start((each) => {
      if (over || each.commits < commits || !strike(each)) return;
      over = true;
      tell(true);
    });
    const ended = process.client.awaitTermination({ signal: this.#signal }).then(() => false);
    return (await Promise.race([struck, ended])) ? process : undefined;
  }

  async #start(fate: Fate = () => undefined): Promise<JobProcess> {
    const config = { ...this.#config, fate };
    const process = await JobProcess.start(this.#variant, this.#run, slotSinks(this.#sinks), config);
    this.#processes.push(process);
    return process;
  }

  /** Waits until the third has something of its own, where there is more than the last partition. */
  async #rebalanced(third: JobProcess): Promise<void> {
    await eventually('the third process to own a partition', async () => {
      const over = third.client.state !== 'running' || third.left < 2;
      return this.#shared || over ? true : undefined;
    });
  }
}
