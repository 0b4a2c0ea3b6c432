import { join } from 'node:path';
import { readJournal } from '../../journal/read-journal.ts';
import type { WorkerSlot } from '../../processes/worker-slot.ts';
import type { Stage } from '../../run/stage.ts';
import type { Entry } from '../history/entry.ts';
import { LOAD } from '../load/settings.ts';
import { CAST } from '../load/cast.ts';
import { Observer } from '../redis/observer.ts';

const PROGRAM = join(import.meta.dirname, '../workers/main.ts');

export interface SceneOptions {
  readonly seed: number;
  readonly rate: number;
}

/** A stage with the topic, a producer and consumers. Nobody works yet. */
export interface Scene {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly producer: WorkerSlot;
  readonly consumers: readonly WorkerSlot[];
}

export async function setScene(stage: Stage, { seed, rate }: SceneOptions): Promise<Scene> {
  await stage.createTopic(LOAD.topic, LOAD.partitions);
  const observer = new Observer(stage.server.port);
  stage.onClose(() => observer.close());
  const consumers: WorkerSlot[] = [];
  for (const name of CAST.workers) {
    const configure = (): object => ({ seed, rate, confirmed: {} });
    consumers.push(await stage.addSlot({ name, program: PROGRAM, configure }));
  }
  const producer: WorkerSlot = await stage.addSlot({
    name: 'producer',
    program: PROGRAM,
    configure: async () => ({ seed, rate, confirmed: await confirmedBy(producer) }),
  });
  return { stage, observer, producer, consumers };
}

async function confirmedBy({ processes }: WorkerSlot): Promise<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const { journal } of processes) {
    for (const entry of await readJournal<Entry>(journal)) {
      if (entry.type === 'confirmed') numbers[entry.key] = Math.max(numbers[entry.key] ?? 0, entry.n);
    }
  }
  return numbers;
}
