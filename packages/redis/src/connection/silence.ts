import type { RedisConnection, RedisTraffic } from '../driver/driver.ts';
import { deadline } from './deadline.ts';

/** Looks within one silence. More, and what moved last is known better; fewer, and there is less to do. */
const LOOKS = 4;

/**
 * Calls back when nothing has moved on a connection for `millis`, or up to a quarter longer, unless it is cancelled by then: no byte came, and
 * none left that had to wait. Other bytes that leave say nothing, since the operating system takes them for a dead connection
 * too: whoever counted them would never notice that one while calls keep coming.
 *
 * @returns cancels it
 */
export function silence(
  connection: Pick<RedisConnection, 'traffic'>,
  millis: number,
  expired: () => void,
): () => void {
  let before = connection.traffic();
  let still = 0;
  let cancel = nextLook();

  function nextLook(): () => void {
    return deadline(millis / LOOKS, () => {
      const now = connection.traffic();
      still = hasMoved(before, now) ? 0 : still + 1;
      before = now;
      if (still < LOOKS) cancel = nextLook();
      else expired();
    });
  }

  return () => cancel();
}

function hasMoved(before: RedisTraffic, now: RedisTraffic): boolean {
  return now.received !== before.received || (before.waiting > 0 && now.sent !== before.sent);
}
