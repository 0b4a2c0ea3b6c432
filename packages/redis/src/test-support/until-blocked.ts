import type { RedisClient } from '../client/client.ts';

/** Waits until a command of somebody is parked on one of the masters. */
export async function untilBlocked(client: RedisClient): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  for (;;) {
    for (const master of await client.masters({ signal })) {
      const info = String(await master.command({ name: 'INFO', args: ['clients'] }, { signal }));
      if (/blocked_clients:[1-9]/.test(info)) return;
    }
  }
}
