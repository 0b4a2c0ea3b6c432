import { ioredisDriver } from '@rs/redis';
import type { JobDiagnostics, RedisJobClient, RedisRuntimeConfig } from '@rs/runtime-redis';
import type { SinkTo } from '../../case.ts';
import type { Variant } from '../../variant.ts';
import type { RedisRun } from './bench.ts';
import { MortalDriver } from './mortal-driver.ts';
import { startJob } from './start-job.ts';

/** What happens to a process, decided whenever it sends something and whenever it gets an answer. */
export type Fate = (process: JobProcess) => void;

/** A process of a job, as far as Redis and the other ones can tell: it has connections of its own, and can be killed. */
export class JobProcess {
  readonly client: RedisJobClient;
  readonly #driver: MortalDriver;
  /** As it was right before it died. */
  #last: JobDiagnostics | undefined;

  private constructor(client: RedisJobClient, driver: MortalDriver) {
    this.client = client;
    this.#driver = driver;
  }

  static async start(
    variant: Variant,
    run: RedisRun,
    sinkTo: SinkTo,
    { fate, ...config }: RedisRuntimeConfig & { readonly fate: Fate },
  ): Promise<JobProcess> {
    const driver = new MortalDriver(ioredisDriver(run.redis));
    const client = await startJob(variant, run, sinkTo, { ...config, redis: driver });
    const process = new JobProcess(client, driver);
    driver.watch(() => fate(process));
    return process;
  }

  get dead(): boolean {
    return this.#driver.dead;
  }

  get diagnostics(): JobDiagnostics {
    return this.#last ?? this.client.diagnostics();
  }

  /** Of its tasks. */
  get commits(): number {
    return this.diagnostics.tasks.reduce((sum, { commits }) => sum + commits, 0);
  }

  /** Partitions that it works on. */
  get owned(): number {
    return this.diagnostics.pipelines.reduce((sum, { owned }) => sum + owned.length, 0);
  }

  /** Partitions whose input has not ended, as far as it knows. */
  get left(): number {
    return this.diagnostics.pipelines.reduce(
      (sum, { partitions, ended }) => sum + partitions - ended.length,
      0,
    );
  }

  /** Takes Redis away from it. What it had under way may have been done or not; it does not hear of it. */
  kill(): void {
    this.#last ??= this.client.diagnostics();
    this.#driver.kill();
  }

  /** Ends it, or what is left here of one that is dead. */
  async close(): Promise<void> {
    await this.client.close(this.dead ? { timeout: 1 } : {});
  }
}
