import type { StateBackend } from '../driver/batched/backend.ts';
import type { BatchedDriver } from '../driver/batched/batched-driver.ts';
import type { InputItem } from '../driver/batched/input-item.ts';
import type { Scheduler } from '../time/scheduler.ts';
import { becomesQuiet } from './quiet.ts';

/** What happens meanwhile. */
interface Surroundings {
  readonly scheduler: Pick<Scheduler, 'breathe'>;
  readonly cancelled: () => boolean;
}

/**
 * A task comes as far as the commit of its next batch, and dies there. When it waits for something, or fails, that is as good
 * a place to die.
 *
 * @param open opens the task over a backend with this `commit`
 * @param batchAt the items from a position on
 */
export async function processAndDie(
  open: (commit: StateBackend['commit']) => Promise<BatchedDriver>,
  batchAt: (position: number) => readonly InputItem[],
  { scheduler, cancelled }: Surroundings,
): Promise<void> {
  let driver: BatchedDriver | undefined;
  let dead = false;
  const die = () => {
    dead = true;
    driver?.abandon();
  };
  const commit = () => {
    die();
    return new Promise<never>(() => undefined); // Nobody is left to hear the answer.
  };
  const live = async () => {
    driver = await open(commit);
    if (dead) return driver.abandon();
    const batch = batchAt(driver.position);
    if (batch.length > 0) await driver.process(batch);
  };
  live().then(die, die);
  await becomesQuiet(
    scheduler,
    () => 0,
    () => dead || cancelled(),
  );
  die();
}
