import type { RedisClient } from '@rs/redis';
import type { CellAddress, StoredCell } from '@rs/runtime';
import type { TaskPlace } from '../keys/task-place.ts';
import { TaskStore } from './task-store.ts';

/**
 * What is committed at one address, whoever owns the task: for looking at a job from outside.
 *
 * @throws RsError `RS_INVALID_VALUE` for bytes that @rs did not write; as `RedisClient.run`
 */
export async function readState(
  client: RedisClient,
  place: TaskPlace,
  address: CellAddress,
): Promise<StoredCell | undefined> {
  const [cell] = await new TaskStore({ client, place }).read([address]);
  return cell;
}
