import { systemClock } from '@rs/core';
import { Program } from './program.ts';

/** A partition that a worker has become the owner of. */
export interface Acquisition {
  readonly worker: string;
  readonly partition: number;
  /** In epoch milliseconds. */
  readonly at: number;
}

/** The programs of the demo, and what they tell. */
export class Crew {
  readonly acquisitions: Acquisition[] = [];
  sent = 0;
  retries = 0;
  lostLeases = 0;
  readonly #env: Readonly<Record<string, string>>;
  readonly #programs: Program[] = [];
  readonly #owners = new Map<number, string>();

  /** @param env what all of them are told */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  startProducer(): Program {
    return this.#start('producer', 'producer.ts');
  }

  startWorker(): Program {
    const workers = this.#programs.filter(({ name }) => name !== 'producer').length;
    return this.#start(`worker-${workers + 1}`, 'worker.ts');
  }

  partitionsOf({ name }: Program): number[] {
    const own = [...this.#owners].filter(([, owner]) => owner === name);
    return own.map(([partition]) => partition).sort((a, b) => a - b);
  }

  /** @throws DemoFailure when one of them has failed */
  check(): void {
    for (const program of this.#programs) program.check();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop()));
  }

  #start(name: string, file: 'producer.ts' | 'worker.ts'): Program {
    const program = new Program({
      name,
      file,
      env: { ...this.#env, SHOP_NAME: name },
      onLine: ({ message, partition, sent }) => {
        if (message === 'sent') this.sent = Number(sent);
        else if (message === 'message is retried') this.retries++;
        else if (message === 'partition lost') this.lostLeases++;
        else if (message === 'partition acquired') this.#acquired(name, Number(partition));
        else if (message === 'partition given back') this.#released(name, Number(partition));
      },
    });
    this.#programs.push(program);
    return program;
  }

  #acquired(worker: string, partition: number): void {
    this.#owners.set(partition, worker);
    this.acquisitions.push({ worker, partition, at: systemClock.now() });
  }

  /** The next owner may have been heard of first. */
  #released(worker: string, partition: number): void {
    if (this.#owners.get(partition) === worker) this.#owners.delete(partition);
  }
}
