import { join } from 'node:path';
import { readJournal } from '../../journal/read-journal.ts';
import { type Incarnation, incarnationOf } from '../../processes/incarnation.ts';
import type { WorkerSlot } from '../../processes/worker-slot.ts';
import type { Stage } from '../../run/stage.ts';
import type { Entry } from '../history/entry.ts';
import { CAST } from '../load/cast.ts';
import { LOAD } from '../load/settings.ts';
import { Observer } from '../redis/observer.ts';

const PROGRAM = join(import.meta.dirname, '../workers/main.ts');

export interface SceneOptions {
  readonly seed: number;
  readonly rate: number;
}

export interface ReadJournal {
  readonly process: Incarnation;
  readonly entries: readonly Entry[];
}

/** A stage with the topics, a producer and those who run the job. Nobody works yet. */
export class Scene {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly producer: WorkerSlot;
  readonly workers: readonly WorkerSlot[];

  private constructor(
    stage: Stage,
    observer: Observer,
    producer: WorkerSlot,
    workers: readonly WorkerSlot[],
  ) {
    this.stage = stage;
    this.observer = observer;
    this.producer = producer;
    this.workers = workers;
  }

  static async set(stage: Stage, { seed, rate }: SceneOptions): Promise<Scene> {
    for (const { topic, partitions } of [LOAD, LOAD.counts, LOAD.windows]) {
      await stage.createTopic(topic, partitions);
    }
    const observer = new Observer(stage.server.port);
    stage.onClose(() => observer.close());
    const configure = (): object => ({ seed, rate });
    const workers: WorkerSlot[] = [];
    for (const name of CAST.workers) workers.push(await stage.addSlot({ name, program: PROGRAM, configure }));
    const producer = await stage.addSlot({ name: 'producer', program: PROGRAM, configure });
    return new Scene(stage, observer, producer, workers);
  }

  /** What all processes have written down so far. */
  async journals(): Promise<ReadJournal[]> {
    const processes = [...this.stage.slots.values()].flatMap((slot) => slot.processes);
    return Promise.all(
      processes.map(async (each) => ({
        process: incarnationOf(each),
        entries: await readJournal<Entry>(each.journal),
      })),
    );
  }
}
